/** The public names of `umwelt`, which are those of lean.ts: new ones go there. Here every detector is known by its name. */
import './detectors/by-name.ts';

export * from './lean.ts';
