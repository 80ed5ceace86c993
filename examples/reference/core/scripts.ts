// Example of: createScript, Script, ScriptSize, Operation, runScript, Trial, Mismatch, shrinkScript, Find, findText, runSeeds
import { type DetectorFactory, World } from 'umwelt';
import {
  createScript,
  type Find,
  findText,
  type Mismatch,
  type Operation,
  runScript,
  runSeeds,
  type Script,
  type ScriptSize,
  shrinkScript,
  type Trial,
} from 'umwelt/conformance';

const size: ScriptSize = { operations: 60, entities: 12 };
const script: Script = createScript(42, size);
const operation: Operation = script.operations[0]!;
console.log(script.operations.length >= 60, typeof operation.kind); // true string

// A shipped detector beside the plain model: no difference.
const trial: Trial = { detector: 'quadtree' };
const mismatch: Mismatch | undefined = runScript(script, trial);
console.log(mismatch); // undefined
console.log(runSeeds(1, 5, size, trial) > 0); // true

// A detector that finds nothing: the script is cut down to the few operations that show it.
const blind: DetectorFactory = () => ({
  name: 'blind',
  memoryBytes: 0,
  detect() {},
  collect() {},
  validate() {},
  describe: () => 'sees nothing',
});
const find: Find | undefined = shrinkScript(script, {
  detector: blind,
  create: (options) => new World(options),
});
console.log(find !== undefined && find.script.operations.length < 10); // true
console.log(find !== undefined && findText(find).includes('42')); // true
