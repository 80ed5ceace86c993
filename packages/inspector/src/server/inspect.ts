/**
 * Adds the inspector to your own server with one line: all that `startInspector` needs as options is read from the world.
 *
 * You need not call `publish`. A timer checks whether the world has ticked, much more often than worlds tick, and publishes the
 * changes: a tick costs the same as with `publish`, and between ticks there is almost nothing to do. If several ticks pass within
 * one turn of the event loop, the last one is shown, and the page tells how many were not published.
 */
import { type EntityId, UmweltError, type WorldReader } from 'umwelt';
import { longestRange } from '../feed/feed-host.ts';
import type { FeedOptions } from '../feed/feed-options.ts';
import type { Bounds } from '../feed-message.ts';
import { type Inspector, startInspector } from './inspector.ts';
import { type InspectorOptions, told } from './inspector-options.ts';
import { holdersOf, isShared, type SharedWorld } from './shared-world.ts';

/** Interval of checks whether the world has ticked, in milliseconds. */
const LOOK_MS = 5;
/** Duration of a tick in seconds until ticks have been seen; and the weight of a new measurement. */
const TICK_SECONDS = 0.05;
const TICK_WEIGHT = 0.1;
/** A longer time between two ticks is a pause and is not used for measuring, in seconds. */
const PAUSE_SECONDS = 2;
/** Margin around the crowd, as a fraction of its extent. */
const ROOM = 0.05;
/** Bounds of a world without entities, in world units. */
const EMPTY: Bounds = { minX: -50, minY: -50, maxX: 50, maxY: 50 };

/** All options of `startInspector`, all optional. `publish` is called automatically. */
export type InspectOptions = Partial<Omit<InspectorOptions, 'world'>>;

/**
 * Serves the inspector of a world that your program ticks: `await inspect(world, { port: 7600 })`. You need not call `publish`.
 * The page has no play and pause unless `commands` are given. Everything else is read from the world: senses, ranges, the
 * bounds of the crowd when a page opens, the measured tick rate. Kinds are 'watcher' and 'marker', or your `kinds`. It also accepts a
 * member or an observer of a cluster, `await inspect(node)`: then a kind is an entity's owner and the member that shows its view, and a
 * member knows the relations only of watchers that it shows. Throws `BAD_OPTION`; rejects as `listen` does. The inspector runs
 * until it is closed; its timer does not keep the process alive.
 */
export async function inspect(
  target: WorldReader | SharedWorld,
  options: InspectOptions = {},
): Promise<Inspector> {
  const shared = isShared(target) ? target : undefined;
  const world = shared?.world ?? (target as WorldReader);
  if (typeof world?.stats !== 'function') {
    const expected = 'expected a World, or a node or an observer of a cluster';
    throw new UmweltError('BAD_OPTION', `world is ${told(target)}; ${expected}`, { field: 'world' });
  }
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new UmweltError(
      'BAD_OPTION',
      `options is ${told(options)}; expected an object such as { port: 7600 }`,
      { field: 'options' },
    );
  const watch = new TickWatch(world);
  const asks = kindsOf(world, shared, options);
  const asked: Pick<FeedOptions, 'bounds' | 'tickSeconds'> = {
    get bounds() {
      return options.bounds === undefined ? boundsOf(world) : options.bounds;
    },
    get tickSeconds() {
      return options.tickSeconds === undefined ? watch.tickSeconds : options.tickSeconds;
    },
  };
  const inspector = await startInspector(
    // Getters stay getters: they are read whenever a page opens.
    Object.defineProperties({ title: titleOf(shared), port: 7600, ...options, world } as InspectorOptions, {
      ...Object.getOwnPropertyDescriptors(asks),
      ...Object.getOwnPropertyDescriptors(asked),
    }),
  );
  const timer = setInterval(() => {
    if (!watch.look(performance.now())) return;
    try {
      inspector.publish(world.lastChanges, { tickMs: world.stats().tickMs, paused: false, speed: 1 });
    } catch (error) {
      // Right after its last tick the world was disposed of, which its program may do without regard to who looks at it.
      if (!(error instanceof UmweltError && error.code === 'DISPOSED')) throw error;
    }
  }, LOOK_MS).unref();
  return endingWith(inspector, () => clearInterval(timer));
}

/** The same inspector, whose `close` also calls `end`. */
function endingWith(inspector: Inspector, end: () => void): Inspector {
  return {
    get url() {
      return inspector.url;
    },
    get urls() {
      return inspector.urls;
    },
    get clientCount() {
      return inspector.clientCount;
    },
    publish: (changes, status) => inspector.publish(changes, status),
    noteChurn: (tick, pairCount) => inspector.noteChurn(tick, pairCount),
    tellSeek: (tick, progress) => inspector.tellSeek(tick, progress),
    close() {
      end();
      return inspector.close();
    },
  };
}

/** Detects ticks, and measures their duration. */
export class TickWatch {
  tickSeconds = TICK_SECONDS;
  readonly #world: Pick<WorldReader, 'tickCount'>;
  #lastTick: number;
  #lastMs: number | undefined;

  constructor(world: Pick<WorldReader, 'tickCount'>) {
    this.#world = world;
    this.#lastTick = world.tickCount;
  }

  /** Whether the world has ticked since the last look. */
  look(nowMs: number): boolean {
    const { tickCount } = this.#world;
    const ticks = tickCount - this.#lastTick;
    if (ticks === 0) return false;
    const seconds = this.#lastMs === undefined ? Number.NaN : (nowMs - this.#lastMs) / 1000 / ticks;
    if (seconds > 0 && seconds < PAUSE_SECONDS)
      this.tickSeconds += TICK_WEIGHT * (seconds - this.tickSeconds);
    this.#lastTick = tickCount;
    this.#lastMs = nowMs;
    return true;
  }
}

/** The page says umwelt beside it. */
function titleOf(shared: SharedWorld | undefined): string {
  return shared?.name ?? 'A world';
}

function kindsOf(
  world: WorldReader,
  shared: SharedWorld | undefined,
  { kinds, kindOf }: InspectOptions,
): Pick<FeedOptions, 'kinds' | 'kindOf'> {
  if (kinds !== undefined && kindOf !== undefined) return { kinds, kindOf };
  if (kinds !== undefined || kindOf !== undefined) {
    const [given, missing] = kinds === undefined ? ['kindOf', 'kinds'] : ['kinds', 'kindOf'];
    throw new UmweltError('BAD_OPTION', `${given} is given without ${missing}; expected both or neither`, {
      field: missing,
    });
  }
  if (shared !== undefined) return holdersOf(shared);
  return {
    kinds: ['watcher', 'marker'],
    kindOf: (id: EntityId) => (longestRange(world, id) > 0 ? 0 : 1),
  };
}

/** The bounds of all entities now, with a margin. Cost: O(n), when a page opens. */
export function boundsOf(world: WorldReader): Bounds {
  const { dimensions } = world;
  const min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const max = min.map((edge) => -edge);
  const position = new Float32Array(dimensions);
  for (const id of world.ids()) {
    world.position(id, position);
    for (let axis = 0; axis < dimensions; axis++) {
      min[axis] = Math.min(min[axis] as number, position[axis] as number);
      max[axis] = Math.max(max[axis] as number, position[axis] as number);
    }
  }
  const edges = [...min.slice(0, dimensions), ...max.slice(0, dimensions)];
  if (!edges.every(Number.isFinite)) return dimensions === 3 ? { ...EMPTY, minZ: 0, maxZ: 0 } : EMPTY;
  const [minX, minY, minZ] = min as [number, number, number];
  const [maxX, maxY, maxZ] = max as [number, number, number];
  const room = Math.max(ROOM * Math.max(maxX - minX, maxY - minY), 1);
  const flat = { minX: minX - room, minY: minY - room, maxX: maxX + room, maxY: maxY + room };
  return dimensions === 3 ? { ...flat, minZ, maxZ } : flat;
}
