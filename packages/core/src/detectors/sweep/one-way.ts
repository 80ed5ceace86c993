/**
 * One-way watchers: none of them sees another of them. Creatures that look for players only, spectators that nobody sees. Tested
 * against each other in one spot, they would take time that grows with the square of their number, for nothing. So they are in a class
 * of their own, which is not searched for pairs (entry-classes.ts).
 *
 * Which ones they are is told by layers, chosen from a sample of watchers: what any of them sees, none of them is on. Two kinds that
 * see each other, as the creatures of two parties, cannot both be among them; the more frequent one is. The choice affects speed,
 * never results.
 */
import type { EntityState } from '../../entities/entity-state.ts';

/** Bits of layers: what one-way watchers may see, and may be on. They have none in common. */
export interface OneWayLayers {
  readonly sees: number;
  readonly layers: number;
}

/** Fewer of the watchers in a sample are not looked at. */
const MIN_SHARE = 0.05;
/** Others must be this many times as many to replace the current ones. */
const TO_REPLACE = 1.25;
/** How many times as long a pair of two classes is tested as one of the crowd. */
const CROSS_COST = 2;
/** Watchers are counted in so many strips along each axis: those who crowd in one spot lie in one square. */
const STRIPS = 12;

/** The layers that an entity is on as a marker: none, if it is no marker. */
export function layersOf(state: EntityState, slot: number): number {
  return state.isMarker(slot) ? state.layers.at(slot) : 0;
}

/** Whether a watcher sees, and is on, only layers of one-way watchers. */
export function isOneWay(state: EntityState, slot: number, { sees, layers }: OneWayLayers): boolean {
  return ((state.sees.at(slot) & ~sees) | (layersOf(state, slot) & ~layers)) === 0;
}

/**
 * Whether it pays to take one-way watchers out of the crowd, of whose members a pair is tested faster: if the pairs among them, which
 * are then not tested, would take longer than those with others will. `wasWorth`: the previous answer.
 */
export function areWorthAClass(
  state: EntityState,
  watchers: readonly number[],
  choice: OneWayLayers,
  wasWorth: boolean,
): boolean {
  const stripOf = (values: Float32Array) => {
    const along = Float32Array.from(watchers, (slot) => values[slot]).sort();
    const low = along[0];
    const perUnit = STRIPS / (along[along.length - 1] - low);
    // Where all are on one line, there is no number, and one strip.
    return (slot: number) => Math.min(STRIPS - 1, Math.floor((values[slot] - low) * perUnit)) || 0;
  };
  const [column, row] = [stripOf(state.x), stripOf(state.y)];
  const own = new Float64Array(STRIPS * STRIPS);
  const others = own.slice();
  for (const slot of watchers)
    (isOneWay(state, slot, choice) ? own : others)[row(slot) * STRIPS + column(slot)]++;
  let saved = 0;
  let added = 0;
  for (const [square, count] of own.entries()) {
    saved += (count * (count - 1)) / 2;
    added += count * others[square] * (CROSS_COST - 1);
  }
  return saved > added * (wasWorth ? 1 : TO_REPLACE);
}

/** `current`: the previous choice, returned again if it is still as good. `undefined`: too few are one-way. */
export function oneWayLayersOf(
  state: EntityState,
  watchers: readonly number[],
  current: OneWayLayers | undefined,
): OneWayLayers | undefined {
  const chosen = chooseLayers(state, watchers);
  const shareOf = (choice: OneWayLayers | undefined) =>
    choice === undefined
      ? 0
      : watchers.filter((slot) => isOneWay(state, slot, choice)).length / watchers.length;
  const [share, kept] = [shareOf(chosen), shareOf(current)];
  if (kept >= MIN_SHARE && share <= kept * TO_REPLACE) return current;
  return share >= MIN_SHARE ? chosen : undefined;
}

/** From the most frequent combination to the rarest: all that see none of those before them, and are seen by none. */
function chooseLayers(state: EntityState, watchers: readonly number[]): OneWayLayers {
  const counts = new Map<string, OneWayLayers & { count: number }>();
  for (const slot of watchers) {
    const [sees, layers] = [state.sees.at(slot), layersOf(state, slot)];
    if ((sees & layers) !== 0) continue;
    const key = `${sees} ${layers}`;
    counts.set(key, { sees, layers, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  let [sees, layers] = [0, 0];
  for (const one of [...counts.values()].sort((a, b) => b.count - a.count)) {
    if (((sees | one.sees) & (layers | one.layers)) !== 0) continue;
    sees |= one.sees;
    layers |= one.layers;
  }
  return { sees, layers };
}
