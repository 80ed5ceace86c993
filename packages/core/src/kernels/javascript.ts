/**
 * Loads the kernels as JavaScript, for platforms without WebAssembly or its SIMD, and for pages whose policy forbids it. On
 * servers `umwelt` does this itself. In a bundle for browsers it is done by importing `umwelt/kernels/javascript`; without it the
 * bundle is some 22 kB smaller after gzip.
 */
import { loadPlainKernels } from './kernels.ts';
import { plainKernels } from './plain-kernels.ts';

loadPlainKernels(plainKernels);
