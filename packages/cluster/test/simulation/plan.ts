/** What a simulation does, made from a seed alone; a plan can be cut down, to find what of it matters. */
import type { DetectorName } from 'umwelt';
import { FORMATS, type Formats } from '../../src/records/formats.ts';
import { Random } from './random.ts';

/** Of an earlier version and of this one. */
export const EARLIER: Formats = [1, 1];
export const LATER: Formats = FORMATS;

export type FaultKind =
  /** A node's consumer ends. */
  | 'cut'
  /** A node is cut off from the log for a while. */
  | 'partition'
  /** A node does nothing for a while, and then goes on as if nothing had been. */
  | 'pause'
  /** A node's process dies; another starts under the same name, or under a new one. */
  | 'crash'
  | 'rename'
  /** A node leaves, and comes back. */
  | 'leave'
  /** A process that saw a node die says so. */
  | 'told'
  | 'broker'
  /** The broker comes back without its newest records. */
  | 'tail'
  /** The broker discards all but its newest records, whether nodes have read them or not. */
  | 'trim'
  /** Records are lost, doubled and late for a while. */
  | 'storm'
  /** Bytes that are no record, or a forged one. */
  | 'garbage'
  /** All processes die at once, as with their machines' power; others begin by a checkpoint and by what the log has. */
  | 'outage'
  /** A node is slow: what the log has comes late to it for a while. */
  | 'slow'
  /** Another process joins for a while under the name of one that lives. */
  | 'namesake';

export interface Fault {
  readonly atMs: number;
  readonly kind: FaultKind;
  readonly node: number;
  readonly forMs: number;
  readonly amount: number;
}

export interface Odds {
  /** Bytes of what is kept with an entity, and of messages: a tick's calls take several records. */
  readonly bulkBytes: number;
  /** Of calls that wait for the log. */
  readonly pendingBytes: number;
  /** Clocks of nodes run faster or slower by up to this share. */
  readonly clockError: number;
  /** Whether the log can tell its end. */
  readonly tellsEnd: boolean;
  /** Processes beside the nodes that observe the world. */
  readonly observers: number;
}

export interface Plan {
  readonly seed: number;
  readonly nodes: number;
  readonly entities: number;
  /** With faults; then all is quiet for `calmMs`. */
  readonly durationMs: number;
  readonly calmMs: number;
  /** Ends before that, once nothing is under way any more: see settling.ts. Default false. */
  readonly endsOnceSettled?: boolean;
  /** Whether watchers have rules of interest. */
  readonly hasRules: boolean;
  /** Whether nodes give entities by tile, beside the gives at random. */
  readonly hasTerritories: boolean;
  readonly views: 'own' | 'all';
  /** Of each entity and tick: that its owner gives it to another. */
  readonly giveChance: number;
  /** Nodes begin as an earlier version and come back as a later one, with a later format of records. Default false. */
  readonly hasUpgrade?: boolean;
  /** Default 2. */
  readonly dimensions?: 2 | 3;
  /** What is rare of nodes and of the log. Default: nothing. */
  readonly odds?: Odds;
  /** Those of the nodes in turn. Default: four kinds. */
  readonly detectors?: readonly DetectorName[];
  readonly faults: readonly Fault[];
}

const KINDS: readonly FaultKind[] = [
  'cut',
  'cut',
  'partition',
  'pause',
  'pause',
  'crash',
  'rename',
  'leave',
  'told',
  'broker',
  'tail',
  'storm',
  'storm',
  'garbage',
];

export interface PlanSize {
  readonly durationMs?: number;
  readonly calmMs?: number;
  readonly entities?: number;
  readonly views?: 'own' | 'all';
  readonly giveChance?: number;
  readonly hasUpgrade?: boolean;
  readonly endsOnceSettled?: boolean;
  /** Whether the plan has odds, is in 3-D or not, by the seed. Default false. */
  readonly isOdd?: boolean;
}

export function planOf(seed: number, size: PlanSize = {}): Plan {
  const random = new Random(seed ^ 0x51ab1e);
  const { durationMs = 12_000, calmMs = 12_000, views = 'own', giveChance = 0.05 } = size;
  const faults: Fault[] = [];
  const nodes = 3 + random.below(3);
  for (let atMs = 1500; atMs < durationMs; atMs += random.between(100, 1600)) {
    const kind = random.of(KINDS);
    faults.push({
      atMs: Math.round(atMs),
      kind,
      node: random.below(nodes),
      forMs: Math.round(random.between(50, random.chance(0.3) ? 7000 : 1500)),
      amount: 1 + random.below(40),
    });
  }
  const hasTrims = seed % 5 === 0;
  const drawn = random.of([10, 30, 60]);
  const { entities = drawn } = size;
  const hasRules = random.chance(0.7);
  const hasTerritories = random.chance(0.4);
  const shape = {
    seed,
    nodes,
    entities,
    durationMs,
    calmMs,
    ...(size.endsOnceSettled === true && { endsOnceSettled: true }),
    hasRules,
    hasTerritories,
    views,
    giveChance,
  };
  const hasOutages = !hasTrims && seed % 11 >= 9;
  const trimmed = hasTrims ? withTrims(faults, seed, nodes, durationMs) : faults;
  const all = hasOutages ? withOutages(trimmed, shape) : trimmed;
  const odd = size.isOdd === true ? oddShape(seed) : {};
  if (size.hasUpgrade !== true) return { ...shape, ...odd, faults: all };
  return { ...shape, ...odd, hasUpgrade: true, faults: withUpgrade(all, hasTrims, shape) };
}

function oddShape(seed: number): Pick<Plan, 'dimensions' | 'odds'> {
  const random = new Random(seed ^ 0x0dd_5e7);
  return {
    dimensions: random.of([2, 3]),
    odds: {
      bulkBytes: random.of([8, 8, 2000, 16_000]),
      pendingBytes: random.of([20_000, 200_000, 4_000_000]),
      clockError: random.of([0, 0.02, 0.2]),
      tellsEnd: random.chance(0.7),
      observers: random.below(3),
    },
  };
}

/** Whether the nodes save checkpoints. */
export function hasCheckpoints({ faults }: Plan): boolean {
  return faults.some(({ kind }) => kind === 'outage');
}

/** Of two plans in eleven: an outage, often one in which the log loses its end; slow nodes, and pairs of one name. */
function withOutages(
  others: readonly Fault[],
  { seed, nodes, durationMs }: Pick<Plan, 'seed' | 'nodes' | 'durationMs'>,
): Fault[] {
  const random = new Random(seed ^ 0x0_07a6e);
  const faults = [...others];
  const count = 1 + random.below(2);
  for (let time = 0; time < count; time++) {
    const atMs = Math.round(random.between(2500, Math.max(3000, durationMs - 3000)));
    const forMs = Math.round(random.between(50, 1000));
    faults.push({ atMs, kind: 'outage', node: 0, forMs, amount: 1 });
    const tail = { kind: 'tail' as const, node: 0, forMs, amount: 1 + random.below(120) };
    if (random.chance(0.6)) faults.push({ ...tail, atMs: atMs + random.below(60) });
  }
  for (const kind of ['slow', 'namesake'] as const) {
    for (let atMs = 2000; atMs < durationMs - 2000; atMs += random.between(500, 6000)) {
      const node = random.below(nodes);
      const forMs = Math.round(random.between(50, 1800));
      faults.push({ atMs: Math.round(atMs), kind, node, forMs, amount: 1 + random.below(40) });
    }
  }
  return faults;
}

/** One node after the other leaves and comes back, while all else goes on; and records of the wrong format are forged. */
function withUpgrade(
  others: readonly Fault[],
  hasTrims: boolean,
  { seed, nodes, durationMs }: Pick<Plan, 'seed' | 'nodes' | 'durationMs'>,
): Fault[] {
  const random = new Random(seed ^ 0x09_6add);
  const faults = [...others];
  // The last one soon enough to be back before all is quiet.
  const stepMs = (0.7 * durationMs - 2000) / nodes;
  for (let node = 0; node < nodes; node++) {
    const atMs = Math.round(2000 + node * stepMs);
    const forMs = Math.round(random.between(50, 800));
    if (node !== 0 || !hasTrims) faults.push({ atMs, kind: 'leave', node, forMs, amount: 1 });
    for (let times = 1; times <= 3; times++)
      faults.push({
        atMs: Math.round(atMs + (times * stepMs) / 4),
        kind: 'garbage',
        node,
        forMs: 0,
        amount: 1,
      });
  }
  return faults;
}

/** Without its first records the log is no world: node 0 lives all the time. */
const DEATHS: readonly FaultKind[] = ['crash', 'rename', 'leave', 'told'];

/** Of a fifth of all plans. Trims come with cuts, since a node that follows without a break has read what is discarded. */
function withTrims(others: readonly Fault[], seed: number, nodes: number, durationMs: number): Fault[] {
  const random = new Random(seed ^ 0x7121);
  const faults = others.filter(({ kind, node }) => node !== 0 || !DEATHS.includes(kind));
  for (let atMs = 2000; atMs < durationMs; atMs += random.between(500, 3000)) {
    const least = { atMs: Math.round(atMs), forMs: 50, amount: random.of([0, 1, 5, 30]) };
    const isAll = random.chance(0.3);
    const cut = random.below(nodes);
    for (let node = 0; node < nodes; node++) {
      if (isAll || node === cut) faults.push({ ...least, kind: 'cut', node });
    }
    faults.push({ ...least, atMs: Math.round(atMs + random.between(0, 2000)), kind: 'trim', node: 0 });
  }
  return faults;
}
