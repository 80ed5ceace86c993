/**
 * What replicas cost, by the process's own time: a move of another node, a join, and how the work of many watchers divides over
 * nodes. Whatever else the machine does counts for nothing but caches.
 *
 * One node that owns and shows all is held against four that own and show a quarter each, on the same walk, one after the other:
 * nodes do not share a core's caches. The share of the ideal is the time of one over four times that of the slowest of four,
 * medians of ticks.
 */
import type { Interest } from 'umwelt';
import { NOTHING_NOTED } from '../../src/state/members.ts';
import { Replica } from '../../src/state/replica.ts';
import { loadReplica, storeReplica } from '../../src/state/stored-replica.ts';
import { callsRecord, helloRecord, markRecord } from '../record-makers.ts';
import { Random } from '../simulation/random.ts';

export interface Crowd {
  readonly entities: number;
  readonly range: number;
  /** World units of a side of the square they stand in. */
  readonly side: number;
  readonly interest: Interest;
  readonly ticks: number;
  /** How many of them watch, the same number with each member; all unless given. */
  readonly watchers?: number;
}

/** Milliseconds of a tick's work. */
export interface Step {
  /** Records of calls, applied: moves, mostly. */
  readonly applyMs: number;
  /** The mark's tick, and what follows from it. */
  readonly tickMs: number;
}

export interface Share {
  readonly oneMs: number;
  readonly slowestMs: number;
  /** Of the ideal; 1 is all. */
  readonly share: number;
}

/** Of the ticks alone, and with what is applied in between. */
export interface Shares {
  readonly ofTick: Share;
  readonly ofAll: Share;
}

const PIECE = 8000;

/** A log of `members`, each with its part of the crowd, applied by the replica of one of them. */
export class Walk {
  readonly replica: Replica;
  /** Those that the replica's member shows. */
  readonly shown: Uint32Array;
  readonly #random = new Random(1);
  readonly #crowd: Crowd;
  readonly #members: number;
  readonly #x: Float32Array;
  readonly #y: Float32Array;
  readonly #ids: Uint32Array;
  readonly #seqs: number[];
  #position = 0;

  /** `own` is the number of the member whose replica it is. */
  constructor(crowd: Crowd, members: number, own = 0) {
    this.#crowd = crowd;
    this.#members = members;
    this.#x = new Float32Array(crowd.entities);
    this.#y = new Float32Array(crowd.entities);
    this.#seqs = new Array(members).fill(0);
    const ids: number[] = [];
    this.replica = new Replica({
      world: { interests: { default: crowd.interest } },
      views: 'own',
      events: { added: (_member: unknown, _request: number, id: unknown) => void ids.push(Number(id)) },
    });
    for (let n = 0; n < members; n++)
      this.#say(helloRecord({ name: `n${n}`, nonce: [n + 1, 1], silenceTicks: 1e6 }));
    this.replica.selfCode = own + 1;
    this.#add();
    this.#ids = Uint32Array.from(ids);
    for (let n = 0; n < members; n++) {
      this.#call(n, { shows: [...this.#watchersOf(n)].map((id) => ({ id, isShown: true })) });
    }
    this.shown = this.#watchersOf(own);
    for (let i = 0; i < 3; i++) this.#mark();
  }

  /** A step of all, and a mark: what the replica spends on it. */
  step(): Step {
    const { entities, side } = this.#crowd;
    for (let i = 0; i < entities; i++) {
      this.#x[i] = Math.min(side, Math.max(0, this.#x[i]! + this.#random.between(-1, 1)));
      this.#y[i] = Math.min(side, Math.max(0, this.#y[i]! + this.#random.between(-1, 1)));
    }
    let applyMs = 0;
    for (let n = 0; n < this.#members; n++) {
      const part = this.#part(n);
      for (let from = part.from; from < part.to; from += PIECE) {
        const to = Math.min(part.to, from + PIECE);
        const moves = {
          ids: this.#ids.slice(from, to),
          x: this.#x.slice(from, to),
          y: this.#y.slice(from, to),
          z: undefined,
        };
        applyMs += this.#call(n, { moves });
      }
    }
    return { applyMs, tickMs: this.#mark() };
  }

  #add(): void {
    const { entities, range, side } = this.#crowd;
    for (let n = 0; n < this.#members; n++) {
      const part = this.#part(n);
      for (let from = part.from; from < part.to; from += PIECE) {
        const adds = [];
        for (let i = from; i < Math.min(part.to, from + PIECE); i++) {
          this.#x[i] = this.#random.between(0, side);
          this.#y[i] = this.#random.between(0, side);
          const place = { x: this.#x[i]!, y: this.#y[i]!, z: 0 };
          const patch = i - part.from < this.#watcherCount ? { range } : {};
          adds.push({ request: i, ...place, patch, key: '', fields: {}, keep: new Uint8Array(0) });
        }
        this.#call(n, { adds });
      }
    }
    if (this.replica.world.size !== entities) throw new Error('not all were added');
  }

  #part(n: number): { from: number; to: number } {
    const { entities } = this.#crowd;
    return {
      from: Math.floor((n * entities) / this.#members),
      to: Math.floor(((n + 1) * entities) / this.#members),
    };
  }

  /** Of each member. */
  get #watcherCount(): number {
    return Math.floor((this.#crowd.watchers ?? this.#crowd.entities) / this.#members);
  }

  #watchersOf(n: number): Uint32Array {
    const { from, to } = this.#part(n);
    return this.#ids.subarray(from, Math.min(to, from + this.#watcherCount));
  }

  #call(n: number, items: Parameters<typeof callsRecord>[1]): number {
    const member = this.replica.members.byNumber(n)!;
    const seq = ++this.#seqs[n]!;
    return this.#say(callsRecord({ member: n, incarnation: member.incarnation, seq }, items, NOTHING_NOTED));
  }

  #mark(): number {
    const member = this.replica.members.byNumber(0)!;
    return this.#say(markRecord({ member: 0, incarnation: member.incarnation }, this.replica.tick + 1));
  }

  #say(bytes: Uint8Array): number {
    this.#position++;
    return milliseconds(() => void this.replica.apply(this.#position, bytes));
  }
}

/** A member's part in a crowd's ticks. */
export interface Walker {
  step(): Step;
  /** Lets go of what it holds. */
  end?(): Promise<void>;
}

/** How the work of a crowd divides over four nodes. */
export async function sharesOfIdeal(
  crowd: Crowd,
  walkerOf: (members: number, own: number) => Walker | Promise<Walker> = (members, own) =>
    new Walk(crowd, members, own),
): Promise<Shares> {
  const measured = async (members: number, own: number): Promise<Medians> => {
    const walker = await walkerOf(members, own);
    const medians = mediansOf(walker, crowd.ticks);
    await walker.end?.();
    return medians;
  };
  const one = await measured(1, 0);
  const four = [];
  for (let own = 0; own < 4; own++) four.push(await measured(4, own));
  const shareOf = (oneMs: number, fourMs: number[]): Share => {
    const slowestMs = Math.max(...fourMs);
    return { oneMs, slowestMs, share: oneMs / (4 * slowestMs) };
  };
  return {
    ofTick: shareOf(
      one.tickMs,
      four.map(({ tickMs }) => tickMs),
    ),
    ofAll: shareOf(
      one.allMs,
      four.map(({ allMs }) => allMs),
    ),
  };
}

interface Medians {
  readonly tickMs: number;
  readonly allMs: number;
}

/** After as many steps in which buffers grow and code is compiled. */
function mediansOf(walk: Walker, ticks: number): Medians {
  for (let i = 0; i < ticks; i++) walk.step();
  const steps = Array.from({ length: ticks }, () => walk.step());
  return {
    tickMs: median(steps.map(({ tickMs }) => tickMs)),
    allMs: median(steps.map(({ applyMs, tickMs }) => applyMs + tickMs)),
  };
}

/** Nanoseconds of a move of another node: applied, and its part of the tick, where nobody watches. */
export function nanosecondsAMove(entities: number, ticks: number): number {
  const walk = new Walk({ entities, range: 0, side: 3000, interest: {}, ticks }, 1);
  return (1e6 * mediansOf(walk, ticks).allMs) / entities;
}

export interface Join {
  readonly bytes: number;
  readonly storeMs: number;
  readonly loadMs: number;
}

/** What a member and a joiner spend on a copy of the state. */
export function joinCost(entities: number): Join {
  const { replica } = new Walk({ entities, range: 20, side: 3000, interest: {}, ticks: 0 }, 1);
  const [store, load]: [number[], number[]] = [[], []];
  let bytes = new Uint8Array(0);
  for (let i = 0; i < 7; i++) {
    store.push(
      milliseconds(() => {
        bytes = storeReplica(replica).slice();
      }),
    );
    load.push(milliseconds(() => void loadReplica(bytes, { world: {}, views: 'own' })));
  }
  return { bytes: bytes.length, storeMs: median(store), loadMs: median(load) };
}

export function milliseconds(call: () => void): number {
  const from = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
