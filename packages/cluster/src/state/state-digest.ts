/**
 * A 64-bit digest of a replica's whole state, to detect replicas that differ: the world's own hash, and members, owners, showers,
 * keys, kept bytes and fields. What differs by design is left out: which views this replica computes. The world's origin is in it,
 * so the marks of two worlds differ even if nothing else does.
 *
 * It sums mixed words, so that the order of maps does not matter. Cost: O(slots), some ms for 100,000 entities, and the keys,
 * kept bytes and fields that have changed since the last digest.
 */
import { FIRST_FORMAT } from '../records/formats.ts';
import type { Word64 } from '../records/record.ts';
import { DigestSum, wordOf } from './digest-sum.ts';
import type { ReplicaState } from './replica-state.ts';

const NO_ORIGIN: Word64 = [0, 0];

export function digestOf({
  world,
  table,
  members,
  askedShowers,
  resting,
  interests,
  channels,
}: ReplicaState): Word64 {
  const hash = world.stateHash();
  const sum = new DigestSum();
  sum.addWords(Number.parseInt(hash.slice(8), 16), Number.parseInt(hash.slice(0, 8), 16));
  const { ids, owners, showers, awake } = table;
  for (let slot = 0; slot < ids.length; slot++) {
    if (ids[slot] !== 0) sum.add(ids[slot], owners[slot] * 0x10000 + showers[slot], awake[slot]);
  }
  const [low, high] = members.settings?.origin ?? NO_ORIGIN;
  sum.add(low, high, 4098);
  const kept = table.keptSum.of(table);
  sum.addWords(kept.low, kept.high);
  for (const [id, asked] of askedShowers) sum.add(id, asked, 5);
  for (const id of resting) sum.add(id, 0, 6);
  for (const { number, incarnation, seq, heardTick } of members.all()) {
    sum.add(incarnation % 2 ** 32, seq, 7 + number);
    sum.add(incarnation % 2 ** 32, heardTick, 2048 + number);
  }
  for (const [name, { numbers }] of interests) sum.add(wordOf(name), wordOf(JSON.stringify(numbers)), 4096);
  // Not in the first one: its digests are those of versions that knew no other.
  if (members.format > FIRST_FORMAT) sum.add(members.format, 0, 4099);
  if (channels !== undefined) sum.add(channels.channelCount, channels.size, 4097);
  return [sum.low >>> 0, sum.high >>> 0];
}
