/** One canary as a module of its own, for tools that take a detector by file name. */
import { canaries } from './canaries.ts';

export default canaries['takes the boundary for outside'];
