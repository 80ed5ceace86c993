/** The public names of `umwelt`, which are those of lean.ts: new ones go there. Here every detector is known by its name, and kernels are there for every runtime. */
import './detectors/by-name.ts';
import './kernels/javascript.ts';

export * from './lean.ts';
