/**
 * The canary: a script of everything that happens to players in a room, and a look at every byte that they are sent.
 *
 * A find is a byte sequence that names what its reader may not know by the model (a leak), or a player that has heard of the
 * tick and has something else than the model says. Players join, are cut off, come back at once, late or not at all, leave; bodies are
 * removed, replaced, shared and taken over, while their players are there or away; entities walk, hide, change and are replaced, so
 * that ids, slots, view numbers and schema instances are used again.
 */
import { setImmediate } from 'node:timers/promises';
import { Random } from '@umwelt/scenarios';
import type { EntityId } from 'umwelt';
import { CanaryFrames } from './canary-frames.ts';
import { type Being, CanaryModel, canary } from './canary-model.ts';
import { type CanaryPlayer, type CanaryRoom, newWorld, TICK_MS } from './canary-room.ts';
import { CanaryView } from './canary-view.ts';
import { collectGarbage } from './collect-garbage.ts';
import { type LoopClient, LoopRoom } from './loop-room.ts';

export interface CanaryTally {
  frames: number;
  /** Times that a player's whole picture was compared with the model. */
  compared: number;
  drops: number;
  returns: number;
  /** Bodies that were removed while their player was away. */
  deaths: number;
  entities: number;
  slotsReused: number;
  viewNumbersReused: number;
}

/** Faults to plant, which the canary has to find. */
export type Plant = 'view disposed' | 'wrong watcher';

const SIDE = 60;
const CROWD = 60;
const PLAYERS = 8;
/** Slots are used again while more than 1,024 are free. */
const SLOTS_FREE = 1100;
const STEPS_PER_COLLECTION = 100;

interface Session {
  readonly id: string;
  readonly player: CanaryPlayer;
  /** The client that the game was given first, and all since. */
  readonly clients: LoopClient[];
  isAway: boolean;
}

/** Runs until `frames` frames were taken in. Throws with seed and step at a find. */
export async function runCanary(
  mode: 'frames' | 'view',
  seed: number,
  frames: number,
  plant?: Plant,
): Promise<CanaryTally> {
  const run = new CanaryRun(mode, seed, plant);
  for (let step = 1; run.tally.frames < frames; step++) {
    run.step();
    if (step % STEPS_PER_COLLECTION > 0) continue;
    // Numbers of views are free again when the views are collected.
    collectGarbage();
    await setImmediate();
  }
  return run.tally;
}

class CanaryRun {
  readonly tally: CanaryTally = {
    frames: 0,
    compared: 0,
    drops: 0,
    returns: 0,
    deaths: 0,
    entities: 0,
    slotsReused: 0,
    viewNumbersReused: 0,
  };
  readonly world = newWorld();
  readonly model = new CanaryModel();
  nowMs = 0;
  readonly #mode: 'frames' | 'view';
  readonly #seed: number;
  readonly #plant: Plant | undefined;
  readonly #random: Random;
  readonly #game: CanaryRoom;
  readonly #sessions = new Map<string, Session>();
  readonly #crowd: EntityId[] = [];
  readonly #slots = new Set<number>();
  /** Views by number: two of one number show that it was used again. */
  readonly #viewNumbers = new Map<number, WeakRef<object>>();
  #step = 0;
  #joined = 0;

  constructor(mode: 'frames' | 'view', seed: number, plant: Plant | undefined) {
    this.#mode = mode;
    this.#seed = seed;
    this.#plant = plant;
    this.#random = new Random(seed);
    const room = new LoopRoom((sessionId, bytes) => this.#watch(sessionId, bytes));
    this.#game = mode === 'view' ? new CanaryView(room, this) : new CanaryFrames(room, this);
    const spare = this.world.addMany({ x: new Float32Array(SLOTS_FREE), y: new Float32Array(SLOTS_FREE) });
    this.world.tick();
    this.world.removeMany(spare);
    for (let i = 0; i < CROWD; i++) this.#crowd.push(this.#put(0));
  }

  step(): void {
    this.#step++;
    this.nowMs += TICK_MS;
    for (const session of [...this.#sessions.values()]) this.#connectionOf(session);
    if (this.#sessions.size < PLAYERS && this.#oneIn(3)) this.#join();
    this.#stir();
    for (const session of [...this.#sessions.values()]) this.#bodyOf(session);
    if (this.#oneIn(30)) this.world.tick();
    if (this.#oneIn(20)) this.#game.patch();
    const changes = this.world.tick();
    this.model.learn();
    this.#game.interest.publish(changes);
    this.#game.patch();
    for (const session of this.#sessions.values()) {
      this.#compare(session);
      if (session.isAway || !this.#oneIn(60)) continue;
      this.#game.mischief(session.player.client, (bound) => this.#random.below(bound));
    }
  }

  /** What the network and the player do. */
  #connectionOf(session: Session): void {
    if (session.isAway) {
      if (this.#oneIn(8)) this.#comeBack(session);
      else if (this.#oneIn(150)) this.#over(session);
      return;
    }
    if (this.#oneIn(40)) this.#cut(session);
    else if (this.#oneIn(200)) {
      this.#drop(session, false);
      this.#over(session);
    } else if (this.#oneIn(100)) {
      // Again and again within a tick.
      for (let times = this.#random.below(3) + 2; times > 0; times--) {
        this.#cut(session);
        this.#comeBack(session);
      }
    }
  }

  #join(): void {
    const id = `session ${++this.#joined}`;
    const client = this.#game.room.enter(id);
    if (this.#oneIn(10)) client.view = undefined;
    else this.#follow(client, this.#put(this.#random.below(12) + 1));
    const session: Session = { id, player: this.#game.player(client), clients: [client], isAway: false };
    this.#sessions.set(id, session);
  }

  #cut(session: Session): void {
    session.player.deliver(this.#random.below(4));
    this.#drop(session, true);
  }

  #drop(session: Session, keepsSeat: boolean): void {
    this.tally.drops++;
    session.isAway = true;
    this.#game.room.drop(session.player.client, keepsSeat);
    session.player.dropped();
  }

  #comeBack(session: Session): void {
    this.tally.returns++;
    session.isAway = false;
    const client = this.#game.room.enter(session.id, session.player.client);
    session.clients.push(client);
    session.player.reconnected(client);
  }

  /** What `onLeave` does. */
  #over(session: Session): void {
    this.#game.room.giveUpSeat(session.id);
    this.#sessions.delete(session.id);
    const body = this.model.bodies.get(session.id);
    this.model.forget(session.id);
    if (body === undefined) return;
    if (this.#oneIn(3)) this.#release(body);
    else this.#take(body);
  }

  /** Players get bodies, lose them and swap them, there or away. */
  #bodyOf(session: Session): void {
    const body = this.model.bodies.get(session.id);
    if (body === undefined) {
      if (this.#oneIn(10)) this.#follow(this.#someClientOf(session), this.#put(this.#random.below(12) + 1));
    } else if (this.#oneIn(session.isAway ? 6 : 80)) {
      if (session.isAway) this.tally.deaths++;
      if (session.isAway && this.#plant === 'view disposed') session.player.client.view?.dispose();
      this.#take(body);
    } else this.#changeOf(session, body);
  }

  /** Now and then: the body goes on without its player, or the player with another body, a free one or somebody's. */
  #changeOf(session: Session, body: EntityId): void {
    const chance = this.#random.below(200);
    if (chance === 0) this.#release(body);
    else if (chance < 3) {
      const others = chance === 1 ? this.#crowd : [...this.model.bodies.values()];
      this.#follow(this.#someClientOf(session), this.#anyOf(others));
    }
  }

  #someClientOf({ clients, isAway }: Session): LoopClient {
    return isAway ? clients.at(-1)! : this.#anyOf(clients);
  }

  #follow(client: LoopClient, body: EntityId): void {
    const { bodies } = this.model;
    const crowdAt = this.#crowd.indexOf(body);
    if (crowdAt >= 0) this.#crowd.splice(crowdAt, 1);
    const before = bodies.get(client.sessionId);
    if (before !== undefined && before !== body) {
      bodies.delete(client.sessionId);
      this.#crowd.push(before);
    }
    for (const [sessionId, other] of bodies) if (other === body) bodies.delete(sessionId);
    this.model.embody(client.sessionId, body);
    const isWrong = this.#plant === 'wrong watcher' && this.#oneIn(10);
    this.#game.interest.follow(client.asClient, isWrong ? this.#anyOf(this.#crowd) : body);
  }

  /** Ends what was followed; the entity stays. */
  #release(body: EntityId): void {
    for (const [sessionId, other] of this.model.bodies)
      if (other === body) this.model.bodies.delete(sessionId);
    this.#game.interest.release(body);
    this.#crowd.push(body);
    // That ended its instance's part, too.
    if (this.#mode === 'view') {
      this.#crowd.pop();
      this.#remove(body);
    }
  }

  #stir(): void {
    for (let count = this.#random.below(8); count > 0; count--) this.#crowd.push(this.#put(0));
    while (this.#crowd.length > CROWD) this.#take(this.#anyOf(this.#crowd));
    for (const id of [...this.#crowd, ...this.model.bodies.values()]) {
      if (!this.#oneIn(3)) continue;
      const being = this.model.beings.get(id)!;
      const isFar = this.#oneIn(20);
      being.x = isFar ? this.#random.below(SIDE) : walk(being.x, this.#random.below(5) - 2);
      being.y = isFar ? this.#random.below(SIDE) : walk(being.y, this.#random.below(5) - 2);
      being.version++;
      if (this.#oneIn(25)) {
        being.isCloaked = !being.isCloaked;
        this.world.update(id, { gain: being.isCloaked ? 0 : 1 });
      }
      this.world.move(id, being.x, being.y);
      this.#game.change(id, being);
    }
  }

  #put(range: number): EntityId {
    const being: Being = {
      x: this.#random.below(SIDE),
      y: this.#random.below(SIDE),
      sight: range,
      smell: range === 0 ? 0 : this.#random.below(12),
      isCloaked: false,
      version: 1,
    };
    const { x, y, sight, smell } = being;
    const id = this.world.add({ x, y, range: { sight, smell } });
    this.tally.entities++;
    if (this.#slots.has(id >>> 10)) this.tally.slotsReused++;
    this.#slots.add(id >>> 10);
    this.model.beings.set(id, being);
    this.#game.put(id, being);
    return id;
  }

  #take(id: EntityId): void {
    for (const [sessionId, body] of this.model.bodies) if (body === id) this.model.bodies.delete(sessionId);
    const at = this.#crowd.indexOf(id);
    if (at >= 0) this.#crowd.splice(at, 1);
    this.#remove(id);
  }

  #remove(id: EntityId): void {
    this.model.beings.delete(id);
    this.#game.take(id);
    this.world.remove(id);
  }

  #watch(sessionId: string, bytes: Uint8Array): void {
    const leak = this.model.leakIn(sessionId, bytes);
    if (leak !== undefined)
      throw new Error(this.#find(`${sessionId} is sent ${leak}, which it may not know`));
  }

  #compare({ id, player, isAway }: Session): void {
    if (isAway) return;
    const before = player.frames;
    player.deliver();
    this.tally.frames += player.frames - before;
    this.#noteView(player.client);
    const had = player.had();
    if (had === undefined) return;
    const wanted = this.model.wanted(id).map((entity) => this.#lineOf(entity));
    this.tally.compared++;
    const [missing] = wanted.filter((line) => !had.includes(line));
    const [beyond] = had.filter((line) => !wanted.includes(line));
    if (missing !== undefined || beyond !== undefined) {
      throw new Error(
        this.#find(`${id} has ${beyond ?? 'nothing'} and ought to have ${missing ?? 'nothing'}`),
      );
    }
  }

  #lineOf(id: EntityId): string {
    const { x, y, version } = this.model.beings.get(id)!;
    const texts = this.#mode === 'view' ? (['name', 'note'] as const) : (['name'] as const);
    return `${id} ${x} ${y} ${texts.map((field) => canary(id, field, version)).join(' ')}`;
  }

  #noteView({ view }: LoopClient): void {
    if (view === undefined || view.id < 0) return;
    const before = this.#viewNumbers.get(view.id);
    if (before?.deref() === view) return;
    if (before !== undefined) this.tally.viewNumbersReused++;
    this.#viewNumbers.set(view.id, new WeakRef(view));
  }

  #find(what: string): string {
    return `mode '${this.#mode}', seed ${this.#seed}, step ${this.#step}: ${what}`;
  }

  #oneIn(many: number): boolean {
    return this.#random.below(many) === 0;
  }

  #anyOf<T>(many: readonly T[]): T {
    return many[this.#random.below(many.length)]!;
  }
}

function walk(from: number, by: number): number {
  return Math.max(0, Math.min(SIDE - 1, from + by));
}
