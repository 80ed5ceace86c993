/**
 * npm run example -- 04-ecs-bitecs: a meadow kept in bitECS, and the same one in plain arrays, both passed in without copying
 *
 * `with-bitecs.ts` is for games with an entity component system, `with-plain-arrays.ts` for games without. Both run the same
 * simulation, so the reports have the same hashes.
 */
import { meadowWithBitecs } from './with-bitecs.ts';
import { meadowWithPlainArrays } from './with-plain-arrays.ts';

const TICKS = 200;
const SHOWN_EVERY = 40;

const inBitecs = meadowWithBitecs();
const inPlainArrays = meadowWithPlainArrays();
for (let tick = 1; tick <= TICKS; tick++) {
  const one = inBitecs.next().value;
  const other = inPlainArrays.next().value;
  if (JSON.stringify(one) !== JSON.stringify(other)) {
    throw new Error(`tick ${tick} differs: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
  }
  if (tick % SHOWN_EVERY !== 0) continue;
  const { moved, eaten, inSight, hash } = one;
  console.log(
    `tick ${tick}: ${moved} moved, ${eaten} eaten, wolves see ${inSight} sheep; both report ${hash}`,
  );
}
