/**
 * A game that uses every call there is, at random: its entities wander, change, come and go, are given by tile and at
 * random, shown here and there. All chance comes from the seed and the node's number.
 */
import type { EntityId, EntityPatch, WorldOptions } from 'umwelt';
import type { ClusterNode } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';

const SIDE = 120;

export function worldOptions(hasRules: boolean): WorldOptions {
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
  return {
    senses: ['sight', 'hearing'],
    interests: hasRules
      ? { default: rules, few: { cap: 2, memoryTicks: 50 }, wide: { leaveMargin: 8 } }
      : { default: {}, few: {}, wide: {} },
  };
}

/** A message: which process sent it, and when. */
export interface Sent {
  readonly process: number;
  readonly atMs: number;
}

/** By nonce: each must be heard once. */
export interface Expected {
  readonly sent: Map<number, Sent>;
  now(): number;
}

export class Game {
  readonly #node: ClusterNode;
  readonly #random: Random;
  readonly #plan: Plan;
  readonly #expected: Expected;
  readonly #nextNonce: () => number;
  /** No other process ever has it. */
  readonly #process: number;
  #adding = 0;

  constructor(
    node: ClusterNode,
    plan: Plan,
    number: number,
    expected: Expected,
    nextNonce: () => number,
    process: number,
  ) {
    this.#node = node;
    this.#plan = plan;
    this.#random = new Random(plan.seed * 1000 + number);
    this.#expected = expected;
    this.#nextNonce = nextNonce;
    this.#process = process;
    node.on('simulate', () => this.#simulate());
  }

  #simulate(): void {
    const node = this.#node;
    const random = this.#random;
    if (node.world.size + this.#adding < this.#plan.entities) this.#add();
    for (const id of [...node.owned]) {
      if (random.chance(0.8)) this.#try(() => this.#wander(id));
      if (random.chance(0.06)) this.#try(() => node.update(id, this.#patch()));
      if (random.chance(0.03)) this.#try(() => this.#rare(id));
      if (random.chance(0.05)) this.#try(() => this.#give(id));
    }
    if (random.chance(0.3)) this.#try(() => this.#show());
    if (random.chance(0.1)) this.#meddle();
  }

  /** Calls on what may be another's, past all that this node knows: as a fault of its own would make them. */
  #meddle(): void {
    const random = this.#random;
    const { outbox, replica } = participantOf(this.#node);
    const id = random.of([...this.#node.world.ids()]);
    const member = random.of(replica.members.live());
    if (id === undefined || member === undefined) return;
    const place = this.#place();
    const calls: (() => void)[] = [
      () => outbox.move(id, place.x, place.y, 0),
      () => outbox.put('removes', id),
      () => outbox.put('keeps', { id, bytes: this.#state() }),
      () => outbox.put('gives', { id, member: member.number, incarnation: member.incarnation }),
      () => outbox.put('updates', { id, patch: { range: -1 } }),
      () => outbox.put('touches', random.word()),
    ];
    random.of(calls)();
  }

  #add(): void {
    const random = this.#random;
    this.#adding++;
    const done = () => {
      this.#adding--;
    };
    const key = random.chance(0.3) ? { key: `key ${random.below(40)}` } : {};
    this.#node
      .add({
        ...this.#place(),
        ...this.#patch(),
        range: random.chance(0.7) ? random.between(5, 40) : 0,
        ...key,
        state: this.#state(),
      })
      .then(done, done);
  }

  #place(): { x: number; y: number } {
    return { x: Math.fround(this.#random.between(0, SIDE)), y: Math.fround(this.#random.between(0, SIDE)) };
  }

  #wander(id: EntityId): void {
    const [x, y] = this.#node.world.position(id);
    const far = this.#random.chance(0.02);
    if (far) {
      const place = this.#place();
      this.#node.move(id, place.x, place.y);
    } else this.#node.move(id, x! + this.#random.between(-2, 2), y! + this.#random.between(-2, 2));
  }

  #patch(): EntityPatch {
    const random = this.#random;
    const patches: EntityPatch[] = [
      { range: random.between(0, 40) },
      { range: { hearing: random.between(0, 60) } },
      { gain: random.between(0, 2) },
      { minReach: random.between(0, 10) },
      { layers: 1 + random.below(3) },
      { sees: 1 + random.below(3) },
      { channel: random.below(3) },
      { group: random.below(3) },
      { weight: random.between(0.5, 2) },
      { always: random.chance(0.1) },
      { interest: random.of(['default', 'few', 'wide']) },
      { cap: random.below(6) },
      { updates: random.chance(0.9) },
      { marker: random.chance(0.9) },
    ];
    return random.of(patches);
  }

  #rare(id: EntityId): void {
    const node = this.#node;
    const random = this.#random;
    const other = random.of([...node.world.ids()]);
    const calls: (() => void)[] = [
      () => node.touch(id),
      () => node.remove(id),
      () => node.pin(id, other, random.of(['', 'quest'])),
      () => node.unpin(id, other, random.of(['', 'quest'])),
      () => node.block(id, other),
      () => node.unblock(id, other),
      () => node.set(id, { name: `${random.below(1000)}`, health: random.below(100) }),
      () => node.keep(id, this.#state()),
      () => node.broadcast(id, this.#state()),
      () => this.#send(other),
    ];
    random.of(calls)();
  }

  /** Kept bytes carry a nonce of their own, so that one that is lost shows. */
  #state(): Uint8Array {
    const bytes = new Uint8Array(8);
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
    const id = this.#random.of([...this.#node.world.ids()]);
    if (id === undefined) return;
    if (this.#random.chance(0.15)) this.#node.hide(id);
    else this.#node.show(id).catch(() => {});
  }

  /** What was given away, or went in the meantime, is refused: that is the point. */
  #try(call: () => void): void {
    try {
      call();
    } catch (error) {
      const { code } = error as { code?: string };
      if (!['NOT_OWNED', 'STALE_ID', 'BAD_ID', 'BAD_OPTION', 'TOO_MUCH', 'LOG_DOWN'].includes(code ?? ''))
        throw error;
    }
  }
}
