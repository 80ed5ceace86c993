/** Random calls of nodes in single ticks, as data: drawn from a seed, shrunk, and printed for a test. */
import type { ClusterNode } from '../../src/index.ts';
import type { Random } from '../simulation/random.ts';

/** What a node has beside calls. */
type NoCall =
  | 'enter'
  | 'world'
  | 'name'
  | 'isLive'
  | 'lagMs'
  | 'members'
  | 'self'
  | 'owned'
  | 'find'
  | 'ownerOf'
  | 'showerOf'
  | 'channelOf'
  | 'channelCount'
  | 'stateOf'
  | 'fieldsOf'
  | 'on'
  | 'attach';

/** A method of nodes: one that they learn is an error of types here until it is drawn, too. And: a further node joins. */
export type Kind = Exclude<keyof ClusterNode, NoCall> | 'teleport' | 'join';

/** One call; `a` and `b` number entities in the order in which they were added. What else it needs is made of `x` and `y`. */
export interface Call {
  readonly node: number;
  readonly kind: Kind;
  readonly a: number;
  readonly b: number;
  readonly x: number;
  readonly y: number;
}

export interface Script {
  /** Those that are there from the beginning. */
  readonly nodes: number;
  readonly entities: number;
  /** The calls of each tick. */
  readonly rounds: readonly (readonly Call[])[];
  /** How long records are under way, and which options channels have, if there are any. Default 1: none. */
  readonly seed?: number;
  /** Default 2. */
  readonly dimensions?: 2 | 3;
  /** Default 'all'. */
  readonly views?: 'own' | 'all';
  /** Whether interests have rules. Default false. */
  readonly hasRules?: boolean;
  /** Where it is less than records are under way, nodes call on what changed meanwhile. Default 50. */
  readonly tickMs?: number;
  /** So much later records come to the second node, and twice as much to the third. Default 0. */
  readonly slowMs?: number;
  /** Whether each message fills its record but for a few moves, so that the other moves of the tick wait for the next record. Default false. */
  readonly fills?: boolean;
}

type Weights = Readonly<Record<Kind, number>>;

const NONE = { setInterest: 0, joinChannel: 0, leaveChannel: 0, join: 0, leave: 0, halt: 0 } as const;
const QUIET = { ...NONE, addMany: 0, set: 0, keep: 0, send: 0, broadcast: 0, show: 0, hide: 0 } as const;

/** All calls. */
const ALL: Weights = {
  move: 3,
  teleport: 1,
  moveMany: 1,
  attachEntity: 2,
  detachEntity: 1,
  remove: 1,
  removeMany: 0.3,
  update: 4,
  updateMany: 1,
  touch: 1,
  pin: 1,
  unpin: 1,
  block: 1,
  unblock: 1,
  add: 2,
  addMany: 0.5,
  setInterest: 1,
  joinChannel: 3,
  leaveChannel: 0.5,
  set: 1,
  keep: 1,
  give: 2,
  send: 1,
  broadcast: 1,
  show: 3,
  hide: 1,
  join: 1.5,
  leave: 0.7,
  halt: 0.7,
};

/** Where entities are. */
const PLACES: Weights = {
  ...ALL,
  ...QUIET,
  attachEntity: 3,
  detachEntity: 2,
  removeMany: 1,
  update: 1,
  add: 1,
  give: 1,
};

/** Those of which the order matters. */
const FAMILIES: Weights = {
  ...PLACES,
  moveMany: 0,
  detachEntity: 1,
  removeMany: 0,
  update: 0,
  updateMany: 0,
  touch: 0,
  pin: 0,
  unpin: 0,
  block: 0,
  unblock: 0,
  add: 0,
  give: 0,
};

/** On chains that are as long as they may be, and longer: see `chained`. */
const CHAINS: Weights = { ...FAMILIES, attachEntity: 6, detachEntity: 1, remove: 1 };

/** For records that messages fill: see `Script.fills`. Which calls have no room is known of these only. */
const FULL: Weights = {
  ...FAMILIES,
  teleport: 0,
  attachEntity: 0,
  detachEntity: 0,
  remove: 0,
  send: 0.3,
};

function drawnKind(random: Random, weights: Weights): Kind {
  const kinds = Object.keys(weights) as Kind[];
  let left = random.unit() * kinds.reduce((sum, kind) => sum + weights[kind], 0);
  for (const kind of kinds) {
    left -= weights[kind];
    if (left < 0) return kind;
  }
  return 'move';
}

/** By tick: which entities are attached to the one before them. Most are, in any order, and only some at once with others' calls. */
function chained(random: Random, entities: number): number[][] {
  const rounds: number[][] = [[], [], []];
  for (let a = 1; a < entities; a++) {
    const links = rounds[random.of([0, 0, 1, 2])]!;
    if (random.chance(0.9)) links.splice(random.below(links.length + 1), 0, a);
  }
  return rounds;
}

export function drawnScript(random: Random): Script {
  const weights = random.of([ALL, ALL, ALL, PLACES, FAMILIES, CHAINS, FULL]);
  const nodes = random.of([1, 2, 2, 3]);
  // Some are of those that join later.
  const callers = nodes + (weights.join > 0 ? random.below(3) : 0);
  const entities = weights === CHAINS ? 10 + random.below(4) : 3 + random.below(weights === ALL ? 8 : 4);
  const called = (kind: Kind, a: number, b: number): Call => {
    // Mostly the one that owns it unless it was given away.
    const node = random.chance(0.8) ? a % nodes : random.below(callers);
    return { kind, node, a, b, x: random.below(60), y: random.below(60) };
  };
  const drawn = () =>
    called(drawnKind(random, weights), random.below(entities + 1), random.below(entities + 1));
  const links = weights === CHAINS ? chained(random, entities) : [];
  const most = random.of([5, 15, 30]);
  const rounds = Array.from(
    { length: links.length + 1 + random.below(weights === ALL ? 12 : 5) },
    (_, round) => [
      ...(links[round] ?? []).map((a) => called('attachEntity', a, a - 1)),
      ...Array.from({ length: random.below(most) }, drawn),
    ],
  );
  return {
    nodes,
    entities,
    seed: random.word(),
    dimensions: random.of([2, 3]),
    views: random.of(['own', 'all']),
    hasRules: random.chance(0.6),
    tickMs: random.of([2, 10, 50]),
    slowMs: random.of([0, 0, 20, 100]),
    fills: weights === FULL,
    rounds,
  };
}

/** As text that a test can hold. */
export function scriptText({ rounds, ...shape }: Script): string {
  const lines = rounds.map((calls) => `    [${calls.map((call) => JSON.stringify(call)).join(',\n     ')}],`);
  return `${JSON.stringify(shape).slice(0, -1)}, rounds: [\n${lines.join('\n')}\n  ] }`;
}

/** Fewer calls that still fail. */
export async function shrunk(script: Script, fails: (script: Script) => Promise<boolean>): Promise<Script> {
  let best = script;
  for (let round = best.rounds.length - 1; round >= 0; round--) {
    const candidate = { ...best, rounds: best.rounds.toSpliced(round, 1) };
    if (await fails(candidate)) {
      best = candidate;
      continue;
    }
    for (let at = best.rounds[round]!.length - 1; at >= 0; at--) {
      const rounds = best.rounds.with(round, best.rounds[round]!.toSpliced(at, 1));
      if (await fails({ ...best, rounds })) best = { ...best, rounds };
    }
  }
  return best;
}
