/**
 * One replica that applies a log with every shown watcher awake, and what it reports at each mark.
 *
 * Where the log was begun anew the twin goes on from the branch that the record names: the log as it was before it lost its
 * end.
 */
import { checksumOf } from 'umwelt/bytes';
import {
  type Anew,
  type ClusterRecord,
  isSameWord,
  readRecord,
  type Word64,
} from '../../src/records/record.ts';
import type { ReplicaEvents } from '../../src/state/events.ts';
import { chained, Replica } from '../../src/state/replica.ts';
import { channelOptions, worldOptions } from './game.ts';
import { LATER, type Plan } from './plan.ts';
import { chainOf, digestWord, viewsOf } from './report.ts';

export interface TwinTick {
  readonly tick: number;
  readonly digest: string | undefined;
  /** By code of the shower. */
  readonly hashes: ReadonlyMap<number, number>;
  /** By code: the incarnation that shows. */
  readonly incarnations: ReadonlyMap<number, number>;
}

/** A replica of the plan's world that applies records of both versions. */
export function replicaOf(plan: Plan, views: 'own' | 'all', events: ReplicaEvents): Replica {
  return new Replica({
    world: worldOptions(plan),
    channels: channelOptions(plan),
    views,
    formats: LATER,
    events,
  });
}

export class Twin {
  readonly replica: Replica;
  readonly #ticks: Map<string, TwinTick>;

  constructor(plan: Plan, ticks: Map<string, TwinTick>, events: ReplicaEvents = {}) {
    this.#ticks = ticks;
    this.replica = replicaOf(plan, 'all', { ...events, tick: () => this.#note() });
  }

  #note(): void {
    const { replica } = this;
    const hashes = new Map([...viewsOf(replica)].map(([code, { hash }]) => [code, hash]));
    const members = replica.members.all();
    this.#ticks.set(chainOf(replica), {
      tick: replica.tick,
      digest: digestWord(replica),
      hashes,
      incarnations: new Map(members.map(({ number, incarnation }) => [number + 1, incarnation])),
    });
  }
}

/** What happened to a replica that came to the end of a log: each record, and the marks' reports. */
export interface Lineage {
  readonly twin: Twin;
  readonly steps: readonly {
    readonly position: number;
    readonly bytes: Uint8Array;
    readonly isBeginning: boolean;
  }[];
}

export interface Past {
  readonly plan: Plan;
  readonly branches: readonly Uint8Array[][];
  readonly ticks: Map<string, TwinTick>;
  /** Of members' records, on the log or on a branch of it. */
  readonly formats: Set<number>;
}

/** Applies the log up to a position; `eventsOf` makes what listens to each attempt. */
export function grow(past: Past, records: readonly Uint8Array[], until = records.length, depth = 0): Lineage {
  let twin = new Twin(past.plan, past.ticks, { format: (format) => void past.formats.add(format) });
  let steps: Lineage['steps'][number][] = [];
  for (let position = 1; position <= until; position++) {
    const bytes = records[position - 1]!;
    const anew = anewOf(bytes);
    const former =
      anew !== undefined && anew.seen >= twin.replica.anewPosition
        ? formerOf(past, records, anew, depth)
        : undefined;
    if (former === undefined) {
      twin.replica.apply(position, bytes);
      steps.push({ position, bytes, isBeginning: false });
    } else {
      twin = former.twin;
      twin.replica.beginAt(position, bytes);
      steps = [...former.steps, { position, bytes, isBeginning: true }];
    }
  }
  return { twin, steps };
}

/** The state that a node began the log anew with. */
function formerOf(
  past: Past,
  records: readonly Uint8Array[],
  anew: Anew,
  depth: number,
): Lineage | undefined {
  if (depth > 4) return undefined;
  // Its writer had no state, and nobody answered: the world is empty until a node that has the older one goes on from that.
  if (anew.position === 0) return grow(past, [], 0, depth + 1);
  for (const branch of [records, ...past.branches]) {
    const { position } = anew;
    if (branch.length < position) continue;
    const chains = chainsOf(branch);
    if (isSameWord(chains[position]!, anew.chain)) return grow(past, branch, position, depth + 1);
    // Or its writer had met such a record, and found nobody who has that state.
    const bytes = branch[position - 1]!;
    if (!isSameWord(chained(chains[position - 1]!, checksumOf(bytes)), anew.chain)) continue;
    const { twin, steps } = grow(past, branch, position - 1, depth + 1);
    twin.replica.apply(position, bytes);
    return { twin, steps: [...steps, { position, bytes, isBeginning: false }] };
  }
  return undefined;
}

const knownChains = new WeakMap<readonly Uint8Array[], Word64[]>();

/** The chain at each position of a log, where each record that began it anew was taken for what it says. */
function chainsOf(records: readonly Uint8Array[]): Word64[] {
  let chains = knownChains.get(records);
  if (chains !== undefined) return chains;
  chains = [[0, 0]];
  let anewPosition = 0;
  for (const [index, bytes] of records.entries()) {
    const anew = anewOf(bytes);
    const isBeginning = anew !== undefined && anew.seen >= anewPosition;
    if (isBeginning) anewPosition = index + 1;
    chains.push(chained(isBeginning ? anew.chain : chains[index]!, checksumOf(bytes)));
  }
  knownChains.set(records, chains);
  return chains;
}

function anewOf(bytes: Uint8Array): Anew | undefined {
  const record = recordOf(bytes);
  return record?.kind === 'anew' ? record.anew : undefined;
}

/** Logs and their branches are read several times. */
const known = new WeakMap<Uint8Array, { readonly record: ClusterRecord | undefined }>();

export function recordOf(bytes: Uint8Array): ClusterRecord | undefined {
  let found = known.get(bytes);
  if (found === undefined) {
    found = { record: readable(bytes) };
    known.set(bytes, found);
  }
  return found.record;
}

function readable(bytes: Uint8Array): ClusterRecord | undefined {
  try {
    return readRecord(bytes, LATER);
  } catch {
    return undefined;
  }
}
