/**
 * Detectors with a planted bug each: the suite and the fuzzer must fail every one of them.
 *
 * Problem: a suite that passes proves something only if it can fail. Method: a plain detector that looks at every pair
 * like the definition, spoilt in one place, each place a slip that real detectors make: an open boundary, one axis
 * taken for the other, a pair tested only where it is now, a mover watched but not seen. Written over the public
 * interface, as a user's detector would be. A sound one of the same build must pass, or the bugs prove nothing.
 */
import type { Bounds, Detector, DetectorFactory, EntityStore } from '../../src/index.ts';

export type State = EntityStore['now'];

/** Says which pairs and which entities the canary overlooks. Slots. */
interface Slip {
  /** Whether this pair is looked at; the definition decides about those that are. */
  readonly looksAt?: (store: EntityStore, watcher: number, marker: number) => boolean;
  /** Whether this entity is found in a box. Default: always. */
  readonly collects?: (state: State, slot: number, bounds: Bounds) => boolean;
}

const TICKS_TO_ANEW = 10;

/** The sound build of the canaries: nothing is overlooked. */
export const soundDetector: DetectorFactory = canary('sound', {});

/** Every planted bug, by what it gets wrong. */
export const canaries: Readonly<Record<string, DetectorFactory>> = {
  'takes the boundary for outside': canary('open boundary', {
    looksAt: (store, watcher, marker) =>
      gap(store.last, watcher, marker) < 0 || gap(store.now, watcher, marker) < 0,
  }),
  'loses whoever moves farther than its own range in one tick': canary('no teleporters', {
    looksAt: ({ last, now }, watcher, marker) => !leapt(last, now, watcher) && !leapt(last, now, marker),
  }),
  'overlooks a change of layers of one that stands still': canary('stale layers', {
    looksAt: ({ last, now }, watcher, marker) =>
      last.layers.at(marker) === now.layers.at(marker) ||
      hasMoved(last, now, watcher) ||
      hasMoved(last, now, marker),
  }),
  'looks only round where watchers are now': canary('no leaving', {
    looksAt: ({ last, now }, watcher, marker) =>
      gap(now, watcher, marker) <= 0 || !last.isPresent(watcher) || !hasMoved(last, now, watcher),
  }),
  'takes the height of the range for its width': canary('swapped axes', {
    looksAt: ({ last, now, settings: { ratioX, ratioY, rangeShape } }, watcher, marker) => {
      if (rangeShape !== 'box') return true;
      const inside = (state: State) =>
        Math.abs(state.x[marker] - state.x[watcher]) <= reachOf(state, watcher, marker) * ratioY &&
        Math.abs(state.y[marker] - state.y[watcher]) <= reachOf(state, watcher, marker) * ratioX;
      return inside(last) || inside(now);
    },
  }),
  'forgets minReach': canary('deaf to bells', {
    looksAt: ({ last, now }, watcher, marker) =>
      now.minReaches.every((minReach) => minReach.at(marker) === 0) || gap(last, watcher, marker, 0) <= 0,
  }),
  'forgets maxReach': canary('far-sighted', {
    looksAt: ({ last, now }, watcher, marker) =>
      now.maxReaches.every((maxReach) => maxReach.at(marker) === Number.POSITIVE_INFINITY) ||
      gap(last, watcher, marker) <= 0 !== gap(now, watcher, marker) <= 0 ||
      !last.isPresent(marker),
  }),
  'overlooks that a watcher has come to see what a marker needs': canary('blind to lenses', {
    looksAt: ({ last, now }, watcher, marker) =>
      now.needs.at(marker) === 0 ||
      last.sees.at(watcher) === now.sees.at(watcher) ||
      last.layers.at(watcher) !== now.layers.at(watcher) ||
      !last.isPresent(watcher),
  }),
  'keeps what it found of a marker when it changes hands': canary('the first owner', {
    looksAt: ({ last, now }, _watcher, marker) =>
      last.only.at(marker) === now.only.at(marker) || !last.isPresent(marker) || hasMoved(last, now, marker),
  }),
  'overlooks who joins a group that alone meets a marker': canary('closed parties', {
    looksAt: ({ last, now }, watcher, marker) =>
      now.onlyGroups.at(marker) === 0 ||
      !last.isPresent(watcher) ||
      now.groups.every((groups, kind) => groups.at(watcher) === last.groups[kind].at(watcher)),
  }),
  'never tells of the senses after the first': canary('one sense', {
    looksAt: ({ last, now }, watcher, marker) =>
      last.ranges[0].at(watcher) > 0 || now.ranges[0].at(watcher) > 0 || !last.isPresent(marker),
  }),
  'keeps what it knew of a slot when another entity takes it': canary('stale slots', {
    looksAt: ({ ids }, _watcher, marker) => (ids.idOf[marker] & 1023) === 1,
  }),
  'measures in float64': canary('float64', {
    looksAt: ({ last, now, settings }, watcher, marker) => {
      const inside = (state: State) => {
        if (!state.isPresent(watcher) || !state.isPresent(marker)) return false;
        const [dx, dy] = [state.x[marker] - state.x[watcher], state.y[marker] - state.y[watcher]];
        return dx * dx + dy * dy <= reachOf(state, watcher, marker) ** 2;
      };
      return settings.dimensions === 3 || settings.rangeShape === 'box' || inside(last) || inside(now);
    },
  }),
  "loses the last column of cells of a query's box": canary('one column short', {
    collects: (state, slot, { maxX }) => Math.floor(state.x[slot]) < Math.floor(maxX),
  }),
};

/**
 * Loses whoever has a slot beyond columns that are made anew at the room the store has, now and then, and grow by a counter
 * that never goes down: nothing shows before the store has shrunk and grown again.
 */
export const forgetfulDetector: DetectorFactory = (made) => {
  let most = made.capacity;
  let column = new Uint8Array(most);
  let ticks = 0;
  const sound = canary('columns by a counter', {
    looksAt: (_store, watcher, marker) => watcher < column.length && marker < column.length,
  })(made);
  return {
    ...sound,
    detect(store, out) {
      if (store.capacity > most) {
        most = store.capacity;
        column = new Uint8Array(most);
      }
      if (++ticks % TICKS_TO_ANEW === 0) column = new Uint8Array(store.capacity);
      sound.detect(store, out);
    },
  };
};

export function canary(name: string, { looksAt = () => true, collects = () => true }: Slip): DetectorFactory {
  return (): Detector => ({
    name,
    detect(store, out) {
      // There are far more slots than entities where these are short-lived.
      const slots: number[] = [];
      for (let slot = 0; slot < store.slotCount; slot++) {
        if (store.last.isPresent(slot) || store.now.isPresent(slot)) slots.push(slot);
      }
      for (const watcher of slots) {
        if (!store.last.isWatcher(watcher) && !store.now.isWatcher(watcher)) continue;
        for (const marker of slots) {
          if (looksAt(store, watcher, marker)) out.candidate(watcher, marker);
        }
      }
    },
    collect({ last, slotCount }, bounds, visit) {
      for (let slot = 0; slot < slotCount; slot++) {
        if (last.isPresent(slot) && isWithin(last, slot, bounds) && collects(last, slot, bounds)) visit(slot);
      }
    },
    validate() {},
    describe: () => name,
    memoryBytes: 0,
  });
}

function isWithin({ x, y }: State, slot: number, { minX, maxX, minY, maxY }: Bounds): boolean {
  return x[slot] >= minX && x[slot] <= maxX && y[slot] >= minY && y[slot] <= maxY;
}

export function hasMoved(last: State, now: State, slot: number): boolean {
  return last.isPresent(slot) && (last.x[slot] !== now.x[slot] || last.y[slot] !== now.y[slot]);
}

function leapt(last: State, now: State, slot: number): boolean {
  const stride = Math.hypot(now.x[slot] - last.x[slot], now.y[slot] - last.y[slot]);
  return hasMoved(last, now, slot) && now.isPresent(slot) && stride > now.maxRangeOf(slot);
}

/** The longest reach in any sense, world units; `bells` of 0 leaves minReach out. */
export function reachOf(state: State, watcher: number, marker: number, bells = 1): number {
  let longest = 0;
  state.ranges.forEach((range, sense) => {
    const base = Math.fround(range.at(watcher) * state.gains[sense].at(marker));
    if (base > 0) longest = Math.max(longest, base, state.minReaches[sense].at(marker) * bells);
  });
  return longest;
}

/** How far the marker lies beyond the watcher's reach, in squared world units: 0 on the rim; flat, and round. */
function gap(state: State, watcher: number, marker: number, bells = 1): number {
  const dx = Math.fround(state.x[marker] - state.x[watcher]);
  const dy = Math.fround(state.y[marker] - state.y[watcher]);
  const squared = Math.fround(Math.fround(dx * dx) + Math.fround(dy * dy));
  return squared - Math.fround(reachOf(state, watcher, marker, bells) ** 2);
}
