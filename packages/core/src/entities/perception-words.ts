/** Writes for a kernel what decides perception in one state of the world: kernels/layouts/perception.ts. */
import * as layout from '../kernels/layouts/perception.ts';
import type { EntityState } from './entity-state.ts';
import type { EntityStore } from './entity-store.ts';

const SHAPES = { circle: layout.CIRCLE, box: layout.BOX, cylinder: layout.CYLINDER };

/** Writes the words of a state from `at` on: with `ranges` as detectors read them, or with its `ownRanges`. */
export function writePerception(
  words: Uint32Array,
  at: number,
  { settings, ids }: EntityStore,
  state: EntityState,
  ranges: EntityState['ranges'] = state.ranges,
): void {
  const { offsets } = state;
  const floats = new Float32Array(words.buffer, words.byteOffset, words.length);
  words[at + layout.X] = offsets.x;
  words[at + layout.Y] = offsets.y;
  words[at + layout.Z] = settings.dimensions === 3 ? offsets.z : 0;
  words[at + layout.FLAGS] = offsets.flags;
  words[at + layout.LAYERS] = state.layers.column?.offset ?? 0;
  words[at + layout.SEES] = state.sees.column?.offset ?? 0;
  words[at + layout.CHANNELS] = state.channels.column?.offset ?? 0;
  words[at + layout.NEEDS] = state.needs.column?.offset ?? 0;
  words[at + layout.ONLY] = state.only.column?.offset ?? 0;
  words[at + layout.ONLY_GROUPS] = state.onlyGroups.column?.offset ?? 0;
  words[at + layout.IDS] = ids.idColumn.offset;
  words[at + layout.SENSE_COUNT] = settings.senseCount;
  words[at + layout.DIMENSIONS] = settings.dimensions;
  words[at + layout.SHAPE] = SHAPES[settings.rangeShape];
  floats[at + layout.RATIO_X] = settings.ratioX;
  floats[at + layout.RATIO_Y] = settings.ratioY;
  floats[at + layout.RATIO_Z] = settings.ratioZ;
  state.groups.forEach(({ column }, kind) => {
    words[at + layout.GROUPS + kind] = column?.offset ?? 0;
  });
  for (let s = 0; s < settings.senseCount; s++) {
    words[at + layout.RANGES + s] = ranges[s].column?.offset ?? 0;
    words[at + layout.GAINS + s] = state.gains[s].column?.offset ?? 0;
    words[at + layout.MIN_REACHES + s] = state.minReaches[s].column?.offset ?? 0;
    words[at + layout.MAX_REACHES + s] = state.maxReaches[s].column?.offset ?? 0;
  }
}
