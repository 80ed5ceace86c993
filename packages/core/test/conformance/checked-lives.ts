/**
 * A part of the conformance suite with every write to a typed array checked, and every load and store of a kernel: run by
 * checked-lives.test.ts in a process of its own, since writes are checked as sources are loaded.
 *
 *     node --conditions=umwelt:source --import ./tools/checked-columns/register.ts packages/core/test/conformance/checked-lives.ts
 *
 * Every detector beside the model: short lives with rules, ties and attachments, in slots past the thousand that a world keeps
 * free, with snapshots and restored worlds on the way. A line a detector says what was done. Cost: some seconds a detector.
 */
import { createScript, runSeeds } from '../../src/conformance/index.ts';
import { type DetectorName, detectorNames, type KernelChoice, World } from '../../src/index.ts';
import { CheckedKernels } from '../kernels/checked-kernels.ts';

/** Its script brings slots past 1,024, and three restored worlds. */
const SEED = 30;
const SHORT_LIVED = { operations: 450, entities: 10, turnover: true, interests: true, attachments: true };

const checked = new CheckedKernels();
let slots = 0;
const { tick } = World.prototype;
World.prototype.tick = function (this: World) {
  const changes = tick.call(this);
  slots = Math.max(slots, this.slotCount);
  return changes;
};

const restores = createScript(SEED, SHORT_LIVED).operations.filter(({ kind }) => kind === 'restore').length;
const kernelsOf = (name: DetectorName, i: number): KernelChoice[] =>
  name === 'sweep' ? ['wasm', 'typescript'] : [i % 2 === 0 ? 'wasm' : 'typescript'];

for (const [i, detector] of detectorNames.entries()) {
  for (const kernels of kernelsOf(detector, i)) {
    const before = checked.accesses;
    slots = 0;
    runSeeds(SEED, 1, SHORT_LIVED, { detector, options: { kernels } });
    const accesses = checked.accesses - before;
    process.stdout.write(
      `${detector} ${kernels}: ${slots} slots, ${restores} restored, ${accesses} accesses\n`,
    );
  }
}
