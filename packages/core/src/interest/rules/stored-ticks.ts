/**
 * Stores one tick for each of some pairs as bytes, by watcher's slot and by marker: when a marker was last
 * perceived (linger.ts), when a seat was lost (seat-memory.ts). In ascending order of watchers, then of ticks and markers.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import type { EntityStore } from '../../entities/entity-store.ts';

export type PairTicks = Map<number, Map<number, number>>;

export function saveTicks(writer: ByteWriter, ticks: PairTicks): void {
  writer.u32(ticks.size);
  for (const [watcher, byMarker] of [...ticks].sort(([one], [other]) => one - other)) {
    const pairs = [...byMarker].sort(([a, atA], [b, atB]) => atA - atB || a - b);
    writer.u32(watcher);
    writer.column(Uint32Array.from(pairs, ([marker]) => marker));
    writer.column(Uint32Array.from(pairs, ([, tick]) => tick));
  }
}

/** The population was loaded. `tickCount`: finished ticks. */
export function loadTicks(
  reader: ByteReader,
  { last, slotCount }: EntityStore,
  tickCount: number,
  isMarker: (marker: number) => boolean,
): PairTicks {
  const loaded: PairTicks = new Map();
  for (let left = reader.u32(); left > 0; left--) {
    const watcher = reader.below(slotCount, 'a slot');
    const [markers, ticks] = [reader.column('u32'), reader.column('u32')];
    const isNew = last.isPresent(watcher) && !loaded.has(watcher);
    const isWhole = markers.length === ticks.length && markers.length > 0;
    reader.check(isNew && isWhole, 'a tick for each marker of a watcher');
    const areThey = markers.every(isMarker) && ticks.every((tick) => tick <= tickCount);
    const byMarker = new Map(Array.from(markers, (marker, i) => [marker, ticks[i]]));
    reader.check(areThey && byMarker.size === markers.length, 'markers, and ticks that are over');
    loaded.set(watcher, byMarker);
  }
  return loaded;
}
