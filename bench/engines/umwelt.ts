/**
 * The engine through its public API only: `moveMany`, `tick`, and every list of the report read.
 *
 * If a step moved all entities, the columns are passed as they are; if it moved some, with the list of their ids. Reports
 * are read by `columns`, as a server that writes messages in bulk would, or watcher by watcher as views.
 */
import type { Simulation } from '@umwelt/scenarios';
import {
  type Changes,
  type DetectorName,
  detectorNames,
  type ReportColumns,
  World,
  type WorldOptions,
} from 'umwelt';
import type { Engine, EngineKind, EngineOptions, TickCounts } from './engine.ts';
import { sumOfIds } from './id-sum.ts';

type Reading = 'columns' | 'views';

/** Senses, each with its range as a share of the actor's range. */
type Senses = Readonly<Record<string, number>>;

/** Further calls on the world, inside the timed part. `ids` are by actor. */
export interface OddCalls {
  /** Called once, after the first step added the crowd. */
  begin?(world: World, ids: Uint32Array, simulation: Simulation): void;
  /** Before each tick. */
  tick?(world: World, ids: Uint32Array, simulation: Simulation): void;
}

class UmweltEngine implements Engine {
  readonly #simulation: Simulation;
  readonly #updates: boolean;
  readonly #world: World;
  readonly #reading: Reading;
  readonly #senses: Senses | undefined;
  readonly #calls: OddCalls;
  #hasBegun = false;
  /** By actor. */
  readonly #ids: Uint32Array;
  readonly #counts: TickCounts = { entered: 0, left: 0, updated: 0, idSum: 0 };

  constructor(
    simulation: Simulation,
    { updates }: EngineOptions,
    options: WorldOptions,
    reading: Reading,
    senses?: Senses,
    calls: OddCalls = {},
  ) {
    this.#calls = calls;
    this.#simulation = simulation;
    this.#updates = updates;
    this.#world = new World({ ...simulation.worldOptions, ...options });
    this.#reading = reading;
    this.#senses = senses;
    this.#ids = new Uint32Array(simulation.capacity);
  }

  get memoryBytes(): number {
    return this.#world.stats().memoryBytes;
  }

  tick(): TickCounts {
    this.#feed();
    if (!this.#hasBegun) this.#calls.begin?.(this.#world, this.#ids, this.#simulation);
    this.#hasBegun = true;
    this.#calls.tick?.(this.#world, this.#ids, this.#simulation);
    const changes = this.#world.tick();
    const counts = this.#counts;
    counts.entered = changes.enteredCount;
    counts.left = changes.leftCount;
    counts.updated = changes.updatedCount;
    counts.idSum = this.#reading === 'columns' ? sumByColumns(changes) : sumByViews(changes);
    return counts;
  }

  hash(): string {
    return this.#world.lastChanges.hash();
  }

  dispose(): void {
    void this.#world.dispose();
  }

  #feed(): void {
    const { added, moved, removed, x, y, z, capacity } = this.#simulation;
    for (let i = 0; i < removed.count; i++) this.#world.remove(this.#ids[removed.indices[i]!]!);
    for (let i = 0; i < added.count; i++) this.#add(added.indices[i]!);
    this.#change();
    if (moved.count === 0) return;
    // If all moved, the list is not needed.
    const at = moved.count === capacity ? undefined : moved.indices.subarray(0, moved.count);
    this.#world.moveMany(this.#ids, x, y, z, at);
  }

  #change(): void {
    const { changed } = this.#simulation;
    for (let i = 0; i < (changed?.count ?? 0); i++) {
      const actor = changed!.indices[i]!;
      this.#world.update(this.#ids[actor]!, this.#simulation.patchFor?.(actor) ?? {});
    }
  }

  #add(actor: number): void {
    const { x, y, z, range } = this.#simulation;
    this.#ids[actor] = this.#world.add({
      range: this.#rangeBySense(range[actor]!),
      updates: this.#updates,
      ...this.#simulation.initFor?.(actor),
      x: x[actor]!,
      y: y[actor]!,
      z: z[actor]!,
    });
  }

  #rangeBySense(range: number): number | Record<string, number> {
    return this.#senses === undefined ? range : rangesOf(this.#senses, range);
  }
}

/** An actor's range in each sense, world units. */
export function rangesOf(senses: Senses, range: number): Record<string, number> {
  return Object.fromEntries(Object.entries(senses).map(([sense, share]) => [sense, range * share]));
}

function sumByColumns(changes: Changes): number {
  const entered = sumOf(changes.columns('entered'));
  const left = sumOf(changes.columns('left'));
  const sensed = sumOf(changes.columns('sensed'));
  return (entered + left + sensed + sumOf(changes.columns('updated'))) | 0;
}

/** Reads list by list; each begins where the one before ends. */
function sumOf({ count, watchers, offsets, markers }: ReportColumns): number {
  let sum = 0;
  let begin = offsets[0]! | 0;
  for (let row = 0; row < count; row++) {
    const end = offsets[row + 1]! | 0;
    sum = (sum + (watchers[row]! | 0)) | 0;
    sum = (sum + sumOfIds(markers, begin, end)) | 0;
    begin = end;
  }
  return sum;
}

function sumByViews(changes: Changes): number {
  let sum = 0;
  for (const view of changes) {
    sum = (sum + view.watcher + sumOfList(view.entered) + sumOfList(view.left)) | 0;
    sum = (sum + sumOfList(view.sensed) + sumOfList(view.updated)) | 0;
  }
  return sum;
}

function sumOfList(markers: Uint32Array): number {
  return sumOfIds(markers, 0, markers.length);
}

/** Generous: it keeps the quadratic detector out of large worlds and predicts nothing. */
function expectedTickMs(detector: DetectorName, entities: number, perceived: number): number {
  const pairNs = detector === 'brute-force' ? entities * 60 : 500 + 50 * perceived;
  return (entities * pairNs) / 1e6;
}

/** The engine under a name; these world options override those of the simulation. */
export function umweltVariant(
  name: string,
  title: string,
  options: WorldOptions = {},
  reading: Reading = 'columns',
  senses?: Senses,
  calls?: OddCalls,
): EngineKind {
  const detector = typeof options.detector === 'string' ? options.detector : 'sweep';
  return {
    name,
    title,
    expectedTickMs: ({ entities, perceived }) => expectedTickMs(detector, entities, perceived),
    create: (simulation, engineOptions) =>
      new UmweltEngine(simulation, engineOptions, options, reading, senses, calls),
  };
}

/** The engine as users get it: the default detector, WebAssembly where there is SIMD. */
export const umwelt = umweltVariant('umwelt', 'umwelt');
export const umweltTypeScript = umweltVariant('umwelt-typescript', 'umwelt, TypeScript kernels', {
  kernels: 'typescript',
});
export const umweltByViews = umweltVariant('umwelt-views', 'umwelt, read view by view', {}, 'views');
/** The default on two threads. */
export const umweltTwoThreads: EngineKind = {
  ...umweltVariant('umwelt-2-threads', 'umwelt, 2 threads', { threads: 2 }),
  absent(): string | undefined {
    const world = new World({ threads: 2 });
    const { threads } = world.stats();
    void world.dispose();
    return threads === 2 ? undefined : 'memory cannot be shared or workers not be made here';
  },
};

/** One for each detector, the default among them. */
export const umweltDetectors: readonly EngineKind[] = detectorNames.map((detector) =>
  umweltVariant(`umwelt-${detector}`, `umwelt, ${detector}`, { detector }),
);

/** Sight over the full range, hearing over six tenths of it, smell over three. */
export const THREE_SENSES: Senses = { sight: 1, hearing: 0.6, smell: 0.3 };

function withSenses(name: string, title: string, senses: Senses, options: WorldOptions = {}): EngineKind {
  return umweltVariant(name, title, { ...options, senses: Object.keys(senses) }, 'columns', senses);
}

export const umweltThreeSenses = withSenses('umwelt-three-senses', 'umwelt, three senses', THREE_SENSES);
export const umweltThreeSensesTypeScript = withSenses(
  'umwelt-three-senses-typescript',
  'umwelt, three senses, TypeScript kernels',
  THREE_SENSES,
  { kernels: 'typescript' },
);
/** The detector that is the definition, to check the others. */
export const threeSensesJudge = withSenses(
  'umwelt-three-senses-judge',
  'umwelt, three senses, brute-force',
  THREE_SENSES,
  {
    detector: 'brute-force',
  },
);
