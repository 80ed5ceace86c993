/** The public names of `umwelt/conformance`. */
export type { Operation, Script } from './operations.ts';
export { type Mismatch, runScript, type Trial } from './run-script.ts';
export { createScript } from './script.ts';
export type { ScriptSize } from './script-size.ts';
export { type Find, findText, shrinkScript } from './shrink-script.ts';
export type { Report, ReportView, Subject } from './subject.ts';
export { type ConformanceCase, detectorSuite, runSeeds, type SuiteOptions } from './suite.ts';
export { WorldModel } from './world-model.ts';
