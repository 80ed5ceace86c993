/**
 * A game that uses every call there is, at random: its entities wander, change, come and go, are given by tile and at
 * random, shown here and there. All chance comes from the seed and the node's number.
 */
import type { ChannelOptions, EntityId, World, WorldOptions, WorldReader } from 'umwelt';
import { type ClusterNode, Territories } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import {
  admitSome,
  drawnColumns,
  drawnInterest,
  drawnPatch,
  GROUPS,
  INTEREST_NAMES,
  LATE_NAMES,
  rankById,
  SENSES,
} from './drawn.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';

/** What calls may meet with: 'UNSUPPORTED' for channels where there are none. */
const REFUSALS: ReadonlySet<string> = new Set([
  'NOT_OWNED',
  'STALE_ID',
  'BAD_ID',
  'BAD_OPTION',
  'TOO_MUCH',
  'LOG_DOWN',
  'UNSUPPORTED',
  'CAPACITY',
]);

export function worldOptions({
  hasRules,
  dimensions = 2,
}: Pick<Plan, 'hasRules' | 'dimensions'>): WorldOptions {
  const rules = {
    leaveMargin: 3,
    cap: 4,
    incumbentBonus: 0.2,
    minDwellTicks: 3,
    memoryTicks: 20,
    showGroup: true,
    updateRates: [
      [0.5, 1],
      [1, 4],
    ] as [number, number][],
  };
  const named = hasRules
    ? { default: rules, few: { cap: 2, memoryTicks: 50 }, wide: { leaveMargin: 8 } }
    : { default: {}, few: {}, wide: {} };
  // What is to have functions later has them from the beginning: they do not travel.
  const functions = { rank: rankById, admit: admitSome };
  return {
    dimensions,
    senses: [...SENSES],
    groups: [...GROUPS],
    interests: Object.fromEntries([
      ...Object.entries(named).map(([name, interest]) => [name, { ...interest, ...(hasRules && functions) }]),
      ...LATE_NAMES.map((name) => [name, functions]),
    ]),
  };
}

/** Of a third of all seeds. */
export function channelOptions({ seed }: Pick<Plan, 'seed'>): ChannelOptions | undefined {
  if (seed % 3 !== 0) return undefined;
  const options = { target: 5, tolerance: 0.3, movesPerTick: 3, groupKind: 'guild' };
  return seed % 2 === 0 ? options : { ...options, choose: (id, counts) => 1 + ((id >>> 10) % counts.length) };
}

/** Methods of a world that change it; those not here are each node's own, or the log's: see world-calls.test.ts. */
type WritingCall = Exclude<
  keyof World,
  keyof WorldReader | 'tick' | 'on' | 'setDetector' | 'snapshot' | 'dispose' | 'validate'
>;

/** A message: which process sent it, and when. */
export interface Sent {
  readonly process: number;
  readonly atMs: number;
}

/** By nonce: each must be heard once. */
export interface Expected {
  readonly sent: Map<number, Sent>;
  /** By name of the call: how often it was made without an error. */
  readonly made: Map<string, number>;
  now(): number;
  /** Once after so many milliseconds, whether the process lives or not. */
  after(milliseconds: number, call: () => void): void;
}

/** Who notes what the game asks its node for. */
export interface Notes {
  expect(what: string, answer: Promise<unknown>): void;
  asked(id: EntityId, answer: Promise<void>): void;
  /** A removal went past the node: it leaves out a `show` of that entity in the same record, and does not learn that it is there still. */
  spoilt(id: EntityId): void;
}

export class Game {
  readonly #node: ClusterNode;
  readonly #random: Random;
  readonly #plan: Plan;
  readonly #expected: Expected;
  readonly #nextNonce: () => number;
  /** World units of a side of the square in which entities live: many are as close to each other as sixty are. */
  readonly #side: number;
  /** No other process ever has it. */
  readonly #process: number;
  readonly #notes: Notes | undefined;
  #adding = 0;
  /** The world is the same until the next tick. */
  #ids: readonly EntityId[] = [];

  constructor(
    node: ClusterNode,
    plan: Plan,
    number: number,
    expected: Expected,
    nextNonce: () => number,
    process: number,
    notes?: Notes,
  ) {
    this.#notes = notes;
    this.#node = node;
    this.#plan = plan;
    this.#side = 120 * Math.sqrt(Math.max(1, plan.entities / 60));
    this.#random = new Random(plan.seed * 1000 + number);
    this.#expected = expected;
    this.#nextNonce = nextNonce;
    this.#process = process;
    if (plan.hasTerritories) new Territories(node, { tileSize: 30 });
    node.on('simulate', () => this.#simulate());
  }

  #simulate(): void {
    const node = this.#node;
    const random = this.#random;
    this.#ids = [...node.world.ids()];
    if (node.world.size + this.#adding < this.#plan.entities) this.#add();
    for (const id of [...node.owned]) {
      if (random.chance(0.8)) this.#try(() => this.#wander(id));
      if (random.chance(0.08)) this.#try(() => this.#call(random.of(this.#callNames), id));
      if (random.chance(0.03)) this.#try(() => this.#call('update', id));
      if (random.chance(0.02)) this.#try(() => this.#rare(id));
      if (random.chance(this.#plan.giveChance)) this.#try(() => this.#give(id));
    }
    if (random.chance(0.3)) this.#try(() => this.#show());
    if (random.chance(0.1)) this.#meddle();
  }

  /** Calls on what may be another's, past all that this node knows: as a fault of its own would make them. */
  #meddle(): void {
    const random = this.#random;
    const { outbox, replica } = participantOf(this.#node);
    const id = random.of(this.#ids);
    const member = random.of(replica.members.live());
    if (id === undefined || member === undefined) return;
    const place = this.#place();
    const calls: (() => void)[] = [
      () => outbox.move(id, place.x, place.y, place.z ?? 0),
      () => {
        outbox.put('removes', id);
        this.#notes?.spoilt(id);
      },
      () => outbox.put('keeps', { id, bytes: this.#state() }),
      () => outbox.put('gives', { id, member: member.number, incarnation: member.incarnation }),
      () => outbox.put('updates', { id, patch: { range: -1 } }),
      () =>
        outbox.put('steps', {
          step: 'attach',
          id,
          parent: random.of([id, 0, random.word()]),
          x: 1,
          y: 1,
          z: 0,
        }),
      () => outbox.put('channels', { id, joins: random.chance(0.5) }),
      () => outbox.put('interests', { name: 'late', numbers: { cap: -1 }, hasRank: false, hasAdmit: false }),
      () => outbox.put('interests', { name: 'none', numbers: {}, hasRank: true, hasAdmit: false }),
      () => outbox.put('touches', random.word()),
      () => outbox.put('teleports', id),
    ];
    random.of(calls)();
  }

  /** Each call by which a world is changed, false where it was not made: a method that it learns is an error of types here until it is drawn, too. */
  readonly #calls: { readonly [C in WritingCall]: (id: EntityId, other: EntityId) => unknown } = {
    add: () => this.#add(),
    addMany: () => {
      if (this.#node.world.size + this.#adding + 2 > this.#plan.entities) return false;
      const places = [this.#place(), this.#place()];
      const patch = { ...this.#patch(), range: this.#random.between(5, 40) };
      this.#adding += 2;
      const done = () => {
        this.#adding -= 2;
      };
      const columns = {
        x: places.map(({ x }) => x),
        y: places.map(({ y }) => y),
        ...(this.#isDeep && { z: places.map(({ z = 0 }) => z) }),
      };
      const answer = this.#node.addMany({ ...columns, ...patch });
      answer.then(done, done);
      this.#notes?.expect('addMany', answer);
      return true;
    },
    move: (id) => this.#wander(id),
    moveMany: () => {
      const ids = this.#some();
      const places = [...ids, 0].map(() => this.#place());
      const [x, y] = [places.map((place) => place.x), places.map((place) => place.y)];
      const z = this.#isDeep ? places.map((place) => place.z ?? 0) : undefined;
      // One more is there than counts.
      const how = { count: ids.length, teleport: this.#random.chance(0.3) };
      this.#node.moveMany(Uint32Array.of(...ids, 1), x, y, z, undefined, how);
    },
    update: (id) => this.#node.update(id, this.#patch()),
    updateMany: () => {
      const ids = this.#some();
      this.#node.updateMany(Uint32Array.of(...ids, 1), drawnColumns(this.#random, ids.length + 1), {
        count: ids.length,
      });
    },
    touch: (id) => this.#node.touch(id),
    remove: (id) => this.#random.chance(0.3) && this.#node.remove(id),
    removeMany: () => this.#random.chance(0.1) && this.#node.removeMany(this.#some().slice(0, 2)),
    pin: (id, other) =>
      this.#node.pin(id, other, this.#random.of(['', 'quest']), {
        ...(this.#random.chance(0.5) && { within: this.#random.between(5, 80) }),
        // An observer does not have what a rate made wait before it began.
        ...(this.#random.chance(0.5) && { everyTicks: this.#isObserved ? 1 : 1 + this.#random.below(5) }),
      }),
    unpin: (id, other) => this.#node.unpin(id, other, this.#random.of(['', 'quest'])),
    block: (id, other) => this.#node.block(id, other),
    unblock: (id, other) => this.#node.unblock(id, other),
    attach: (id, other) =>
      this.#node.attachEntity(id, other, {
        x: this.#random.between(-3, 3),
        y: this.#random.between(-3, 3),
        ...(this.#isDeep && { z: this.#random.between(-3, 3) }),
      }),
    detach: (id) => this.#node.detachEntity(id),
    setInterest: () => {
      if (!this.#plan.hasRules || this.#random.chance(0.7)) return false;
      const isMutual = this.#plan.views === 'all' && this.#random.chance(0.2);
      const name = this.#random.of([...INTEREST_NAMES, ...LATE_NAMES]);
      this.#node.setInterest(name, drawnInterest(this.#random, isMutual));
      return true;
    },
  };

  readonly #callNames = Object.keys(this.#calls) as WritingCall[];

  #call(name: WritingCall, id: EntityId): void {
    const { made } = this.#expected;
    if (this.#calls[name](id, this.#random.of(this.#ids)) === false) return;
    made.set(name, (made.get(name) ?? 0) + 1);
  }

  /** A few that this node owns. */
  #some(): Uint32Array {
    return Uint32Array.from([...this.#node.owned].filter(() => this.#random.chance(0.3)));
  }

  #add(): void {
    const random = this.#random;
    this.#adding++;
    const done = () => {
      this.#adding--;
    };
    const key = random.chance(0.3) ? { key: `key ${random.below(40)}` } : {};
    const answer = this.#node.add({
      ...this.#place(),
      ...this.#patch(),
      range: random.chance(0.7) ? random.between(5, 40) : 0,
      ...key,
      state: this.#state(),
    });
    answer.then(done, done);
    this.#notes?.expect('add', answer);
  }

  #place(): { x: number; y: number; z?: number } {
    return {
      x: Math.fround(this.#random.between(0, this.#side)),
      y: Math.fround(this.#random.between(0, this.#side)),
      ...(this.#isDeep && { z: Math.fround(this.#random.between(0, 40)) }),
    };
  }

  /** An observer does not have the seats of earlier ticks, on which those under a cap depend. */
  #patch(): ReturnType<typeof drawnPatch> {
    const patch = drawnPatch(this.#random, this.#ids);
    return this.#isObserved && patch.cap !== undefined ? {} : patch;
  }

  get #isObserved(): boolean {
    return (this.#plan.odds?.observers ?? 0) > 0;
  }

  get #isDeep(): boolean {
    return this.#plan.dimensions === 3;
  }

  #wander(id: EntityId): void {
    const [x, y, z] = this.#node.world.position(id);
    const far = this.#random.chance(0.02);
    if (far) {
      const place = this.#place();
      this.#node.move(id, place.x, place.y, place.z, { teleport: this.#random.chance(0.5) });
      return;
    }
    const [toX, toY] = [x! + this.#random.between(-2, 2), y! + this.#random.between(-2, 2)];
    this.#node.move(id, toX, toY, this.#isDeep ? z! + this.#random.between(-2, 2) : undefined);
  }

  #rare(id: EntityId): void {
    const node = this.#node;
    const random = this.#random;
    const other = random.of(this.#ids);
    const calls: (() => void)[] = [
      () => node.joinChannel(id),
      () => node.joinChannel(id),
      () => node.leaveChannel(id),
      () => node.set(id, { name: `${random.below(1000)}`, health: random.below(100) }),
      () => node.keep(id, this.#state()),
      () => node.broadcast(id, this.#state()),
      () => this.#send(other),
    ];
    random.of(calls)();
  }

  /** Kept bytes carry a nonce of their own, so that one that is lost shows. */
  #state(): Uint8Array {
    const { bulkBytes = 8 } = this.#plan.odds ?? {};
    const bytes = new Uint8Array(bulkBytes === 8 ? 8 : this.#random.between(8, bulkBytes));
    new DataView(bytes.buffer).setUint32(0, this.#nextNonce(), true);
    return bytes;
  }

  #send(id: EntityId): void {
    const bytes = this.#state();
    this.#node.send(id, bytes);
    this.#expected.sent.set(new DataView(bytes.buffer).getUint32(0, true), {
      process: this.#process,
      atMs: this.#expected.now(),
    });
  }

  /** By tile, as a game that wants neighbours in one process would; now and then to anybody. */
  #give(id: EntityId): void {
    const { members } = this.#node;
    const [x, y] = this.#node.world.position(id);
    const tile = Math.floor(x! / 30) * 31 + Math.floor(y! / 30);
    this.#node.give(
      id,
      this.#random.chance(0.2) ? this.#random.of(members) : members[Math.abs(tile) % members.length]!,
    );
  }

  #show(): void {
    const id = this.#random.of(this.#ids);
    if (id === undefined) return;
    if (this.#random.chance(0.15)) this.#node.hide(id);
    else if (this.#plan.odds !== undefined && this.#random.chance(0.5)) this.#showFor(id);
    else this.#noteShow(id, this.#node.show(id));
  }

  /** As for a player whose connection may end before the view is there. */
  #showFor(id: EntityId): void {
    const leaving = new AbortController();
    this.#noteShow(id, this.#node.show(id, { signal: leaving.signal }));
    this.#expected.after(this.#random.between(0, 400), () => leaving.abort());
  }

  #noteShow(id: EntityId, answer: Promise<void>): void {
    answer.catch(() => {});
    this.#notes?.asked(id, answer);
  }

  /** What was given away, or went in the meantime, is refused: that is the point. */
  #try(call: () => void): void {
    try {
      call();
    } catch (error) {
      const { code } = error as { code?: string };
      if (!REFUSALS.has(code ?? '')) throw error;
    }
  }
}
