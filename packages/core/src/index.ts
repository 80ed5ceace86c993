/**
 * The public names of `umwelt`. They are those of lean.ts: add new names there. This entry also registers every
 * detector by its name, and includes kernels for every runtime.
 */
import './detectors/by-name.ts';
import './kernels/javascript.ts';

export * from './lean.ts';
