/**
 * Loads the kernels as JavaScript, for where WebAssembly or its SIMD is missing, or a page's policy forbids it: what `umwelt` does on
 * servers, and `umwelt/kernels/javascript` in a bundle for browsers, which is some 22 kB smaller after gzip without them.
 */
import { loadPlainKernels } from './kernels.ts';
import { plainKernels } from './plain-kernels.ts';

loadPlainKernels(plainKernels);
