/**
 * Players whose game does all that could make a gateway confuse them, and a model that reads every frame as it is sent.
 *
 * Bodies are removed and replaced, ids come again, views move to other watchers, a second page takes a session over, connections break
 * and stall, sessions end by time or by the game, somebody stands at the edge of bands, worlds are restored or begin anew.
 * Everything follows from the seed.
 */
import type { OpenSocket, UmweltClient } from '@umwelt/client';
import { type EntityId, type Interest, World } from 'umwelt';
import type { GatewayOptions, Session } from '../../src/index.ts';
import type { InProcessLine } from '../../src/transports/in-process.ts';
import { GatewayStage, type Player } from '../gateway-stage.ts';
import { APPEARANCE, type CanaryCounts, CanaryModel, FIELDS, MARGIN, SENSES } from './canary-model.ts';
import { holdTo, type PastCounts } from './past.ts';

const PLAYERS = 8;
const THINGS = 60;
const SIDE = 40;
/** So many that slots are handed out again. */
const SLOTS_SPENT = 1100;
const FRAME = 2;
/** Parents above one that is attached. */
const CHAIN_MAX = 3;
const RANGES = { sight: 10, smell: 16 };

export interface CanaryTally extends CanaryCounts, PastCounts {
  ticks: number;
  cuts: number;
  bodiesLost: number;
  idsReused: number;
  restarts: number;
}

/** What a test breaks, to see that it is found. */
export interface Sabotage {
  /** A world has been made. */
  world?(world: World): void;
  /** Before a tick. */
  tick?(stage: GatewayStage, tick: number): void;
  /** A page has a client. */
  client?(client: UmweltClient): void;
}

class CanaryRun {
  readonly tally = { ticks: 0, cuts: 0, bodiesLost: 0, idsReused: 0, restarts: 0 };
  readonly model: CanaryModel;
  readonly #random: (below: number) => number;
  readonly #interests: Record<string, Interest>;
  readonly #sabotage: Sabotage;
  /** 0: all enter at once. */
  readonly #entersPerFrame: number;
  readonly #players: Player[] = [];
  /** Pages that another one of the same player came after; they may come back and take the session again. */
  readonly #formerPages: Player[] = [];
  readonly #lines: InProcessLine[] = [];
  #stage!: GatewayStage;
  #things: EntityId[] = [];
  #slots = new Set<number>();
  /** What a client's listener threw. */
  #fault: unknown;

  constructor(seed: number, sabotage: Sabotage = {}) {
    this.#random = randomOf(seed);
    this.#sabotage = sabotage;
    const rules: Interest[] = [
      { leaveMargin: MARGIN },
      { leaveMargin: MARGIN, cap: 12 },
      {},
      {
        leaveMargin: 1,
        updateRates: [
          [0.5, 1],
          [1, 3],
        ],
      },
    ];
    this.#entersPerFrame = [0, 2][seed % 2]!;
    this.#interests = { default: rules[seed % rules.length]! };
    const world = this.#newWorld();
    this.model = new CanaryModel(world, PLAYERS);
  }

  async begin(): Promise<void> {
    this.#settle(await this.#open(this.model.world));
    for (let player = 0; player < PLAYERS; player++) {
      this.#players.push(this.#page(player));
    }
    await this.#stage.settle();
  }

  /** One tick, and what happens before it. Rejects at a leak. */
  async step(): Promise<void> {
    for (let i = this.#random(6); i >= 0; i--) this.#disturb();
    for (let i = 0; i < 8; i++) this.#live();
    if (this.#random(300) === 0) await this.#restart(this.#random(3) > 0);
    await this.#tick();
    if (this.#random(4) === 0) await this.#stage.settle();
  }

  /** Quiet, so that each has caught up; then each must have all that is for it, and nothing else. */
  async end(): Promise<void> {
    for (const { client } of this.#formerPages) client.close();
    for (const line of this.#lines) if (line !== undefined) line.stalled = false;
    for (const [player, { client }] of this.#players.entries()) {
      if (client.state === 'closed') client.connect();
      this.#embody(player);
    }
    for (let tick = 0; tick < 60; tick++) {
      await this.#tick();
      await this.#stage.settle();
    }
    for (const [player, { client }] of this.#players.entries()) this.#compare(player, client);
  }

  #compare(player: number, { entities, state }: UmweltClient): void {
    const { model } = this;
    const lines = (ids: Iterable<EntityId>, fieldsOf: (id: EntityId) => string[]): string =>
      [...ids]
        .sort((one, other) => one - other)
        .map((id) => `${id} ${fieldsOf(id).sort()}`)
        .join('\n');
    const expected = lines(model.shownTo(model.parts[player]!), (id) =>
      model.fieldsFor(player, id).map((name) => `${name}=${this.#stage.gateway.get(id, name)}`),
    );
    const had = lines(entities.keys(), (id) =>
      Object.entries(entities.get(id)!.fields).map(([name, value]) => `${name}=${value}`),
    );
    if (expected === had && expected !== '') return;
    throw new Error(`player ${player} (${state}) has\n${had}\nin the end, and should have\n${expected}`);
  }

  #newWorld(): World {
    const world = new World({ senses: SENSES, interests: this.#interests });
    this.#sabotage.world?.(world);
    const spent = world.addMany({ x: new Float32Array(SLOTS_SPENT), y: new Float32Array(SLOTS_SPENT) });
    world.tick();
    world.removeMany(spent);
    world.tick();
    this.#slots = new Set([...spent].map((id) => id >>> 10));
    return world;
  }

  async #open(world: World, snapshot?: Uint8Array): Promise<GatewayStage> {
    const clock = this.#stage?.clock;
    const options: Partial<GatewayOptions> = {
      appearance: APPEARANCE,
      limits: {
        graceMs: 2000,
        firstGraceMs: 1000,
        bytesPerSecond: 20_000,
        bufferedBytesMax: 4000,
        ...(this.#entersPerFrame && { entersPerFrame: this.#entersPerFrame }),
      },
      authenticate: ({ credential }) => {
        const player = Number(credential);
        const part = this.#embody(player);
        return { ...part, data: player };
      },
      onLeave: ({ data }) => {
        const part = this.model.parts[data as number]!;
        if (this.model.world === world && world.has(part.watcher)) world.remove(part.watcher);
        Object.assign(part, { watcher: 0, own: 0 });
      },
      randomToken: () => Uint8Array.from({ length: 16 }, () => this.#random(256)),
      ...(clock === undefined ? {} : { clock }),
    };
    return new GatewayStage(options, world, snapshot).listen();
  }

  #settle(stage: GatewayStage): void {
    this.#stage = stage;
    this.#things = Array.from({ length: THINGS }, () => this.#add());
  }

  /** A page of the player, whose client is held to what was so. */
  #page(player: number): Player {
    const heard = { worldNumber: 0 };
    const page = this.#stage.player(String(player), {
      openSocket: this.#socketOf(player, heard),
      onError: (error) => {
        this.#fault ??= error;
      },
    });
    this.#sabotage.client?.(page.client);
    const pastOf = () => (heard.worldNumber === this.model.worldNumber ? this.model.past : undefined);
    holdTo(pastOf, player, page.client);
    return page;
  }

  /** A client's connections, whatever server is there, read as they are written. `heard`: of which world it hears. */
  #socketOf(player: number, heard: { worldNumber: number }): OpenSocket {
    return (url, events) => {
      const { worldNumber } = this.model;
      const line = this.#stage.transport.openSocket(url, {
        opened: () => events.opened(),
        received: (bytes) => {
          heard.worldNumber = worldNumber;
          events.received(bytes);
        },
        closed: (code, reason) => events.closed(code, reason),
      });
      const { server } = line;
      const { send } = server;
      server.send = (bytes) => {
        if (bytes[0] === FRAME) this.model.check(player, bytes);
        send(bytes);
      };
      this.#lines[player] = line;
      return line;
    };
  }

  /** A body for a player that has none. */
  #embody(player: number): { watcher: EntityId; own: EntityId } {
    const part = this.model.parts[player]!;
    if (this.model.world.has(part.watcher)) return { ...part };
    const session = this.#sessionOf(player);
    if (session === undefined && this.#players[player]?.client.state === 'open') return { ...part };
    const watcher = this.#add(RANGES);
    Object.assign(part, { watcher, own: watcher });
    session?.attach(watcher);
    return { ...part };
  }

  #sessionOf(player: number): Session | undefined {
    return [...(this.#stage?.gateway.sessions ?? [])].find(({ data }) => data === player);
  }

  #add(range: typeof RANGES | undefined = undefined): EntityId {
    const { world } = this.model;
    const place = { x: this.#place(), y: this.#place() };
    const id = world.add(range === undefined ? place : { ...place, range });
    if (this.#slots.has(id >>> 10)) this.tally.idsReused++;
    this.#slots.add(id >>> 10);
    if (this.#random(5) > 0 && this.#stage !== undefined) this.#reveal(id);
    return id;
  }

  #place(): number {
    return (this.#random(4 * SIDE) - 2 * SIDE) / 4;
  }

  #reveal(id: EntityId): void {
    const fields = FIELDS.filter(() => this.#random(2) === 0);
    this.#stage.gateway.set(
      id,
      Object.fromEntries(fields.map((field) => [field, this.model.secret(id, field)])),
    );
  }

  /** What goes on in any world. */
  #live(): void {
    const { world } = this.model;
    const id = this.#anybody();
    switch (this.#random(11)) {
      case 0:
        this.#move(id, this.#place(), this.#place());
        break;
      case 1:
      case 2:
      case 3: {
        const [x = 0, y = 0] = world.position(id);
        this.#move(id, x + (this.#random(9) - 4) / 4, y + (this.#random(9) - 4) / 4);
        break;
      }
      case 9:
      case 10:
        this.#attach(id, this.#anybody());
        break;
      case 4:
      case 5:
        this.#reveal(id);
        break;
      case 6:
        world.update(id, { gain: { sight: this.#random(2), smell: this.#random(2) } });
        break;
      case 7: {
        const sense = this.#random(3) - 1;
        const bytes = this.model.say(id, sense);
        this.#stage.gateway.broadcast(id, bytes, sense < 0 ? {} : { sense: SENSES[sense]! });
        break;
      }
      default: {
        const [x, y] = [this.#place(), this.#place()];
        this.#stage.gateway.broadcastAt({ x, y }, this.model.sayAt(x, y));
      }
    }
    const old = this.#things.splice(this.#random(this.#things.length), 1)[0]!;
    world.remove(old);
    this.#things.push(this.#add());
  }

  /** One that is attached gets off. */
  #move(id: EntityId, x: number, y: number): void {
    const { world } = this.model;
    if (world.parentOf(id) !== undefined) world.detach(id);
    world.move(id, x, y);
  }

  #attach(child: EntityId, parent: EntityId): void {
    const { world } = this.model;
    let depth = 0;
    for (let above: EntityId | undefined = parent; above !== undefined; above = world.parentOf(above)) {
      if (above === child || ++depth > CHAIN_MAX) return;
    }
    if (world.childrenOf(child).length > 0) return;
    world.attach(child, parent, { x: this.#random(3) - 1, y: this.#random(3) - 1 });
  }

  #anybody(): EntityId {
    const bodies = this.model.parts.map(({ watcher }) => watcher).filter((id) => this.model.world.has(id));
    const all = this.#random(3) === 0 && bodies.length > 0 ? bodies : this.#things;
    return all[this.#random(all.length)]!;
  }

  /** What players do, and what befalls them. */
  #disturb(): void {
    const { world, parts } = this.model;
    const player = this.#random(PLAYERS);
    const part = parts[player]!;
    const line = this.#lines[player];
    const { client } = this.#players[player]!;
    switch (this.#random(14)) {
      case 0:
        line?.cut();
        this.tally.cuts++;
        break;
      case 1:
        if (line !== undefined) line.stalled = !line.stalled;
        break;
      case 2:
        if (!world.has(part.watcher)) break;
        world.remove(part.watcher);
        this.tally.bodiesLost++;
        break;
      case 3:
      case 4:
        this.#embody(player);
        break;
      case 5:
        this.#watchBy(player);
        break;
      case 6:
        if (this.#random(4) === 0) this.#sessionOf(player)?.release();
        break;
      case 7:
        if (client.state === 'closed') client.connect();
        else if (this.#random(8) === 0) client.close();
        break;
      case 8:
        if (!world.has(part.watcher)) break;
        this.#tie(part.watcher, this.#anybody());
        break;
      case 9:
        if (this.#random(3) === 0) this.#secondPage(player);
        break;
      default:
        client.sendInput(Uint8Array.of(player));
    }
  }

  /** The player's view goes to a thing with senses, as a camera does, with its body as its own, a thing, or nobody. */
  #watchBy(player: number): void {
    const session = this.#sessionOf(player);
    const part = this.model.parts[player]!;
    if (session === undefined || !this.model.world.has(part.watcher)) return;
    const own = [part.watcher, 0, this.#anybody()][this.#random(3)]!;
    session.attach(part.watcher, own);
    part.own = own;
  }

  #tie(watcher: EntityId, marker: EntityId): void {
    const { world } = this.model;
    if (watcher === marker) return;
    [
      () => world.pin(watcher, marker),
      () => world.unpin(watcher, marker),
      () => world.block(watcher, marker),
      () => world.unblock(watcher, marker),
    ][this.#random(4)]!();
  }

  /** The same player from elsewhere: it takes the session, and the page before is told to stay away. */
  #secondPage(player: number): void {
    this.#formerPages.push(this.#players[player]!);
    this.#players[player] = this.#page(player);
  }

  async #restart(goesOn: boolean): Promise<void> {
    this.tally.restarts++;
    const before = this.#stage;
    if (goesOn) {
      await this.#tick();
      const drained = before.gateway.drain({ keepSessions: true });
      const world = World.restore(this.model.world.snapshot());
      this.#sabotage.world?.(world);
      const snapshot = before.gateway.snapshot();
      this.model.world = world;
      this.#stage = await this.#open(world, snapshot);
      await Promise.all([drained, before.settle()]);
    } else {
      const drained = before.gateway.drain();
      await Promise.all([drained, before.settle()]);
      this.model.enterWorld(this.#newWorld());
      this.#settle(await this.#open(this.model.world));
    }
  }

  async #tick(): Promise<void> {
    const stage = this.#stage;
    stage.clock.pass(50);
    this.#sabotage.tick?.(stage, this.tally.ticks);
    const changes = this.model.world.tick();
    this.model.spread(() => Object.values(RANGES));
    stage.gateway.publish(changes);
    stage.transport.deliver();
    this.tally.ticks++;
    if (this.#fault !== undefined) throw this.#fault;
  }
}

function randomOf(seed: number): (below: number) => number {
  let state = (seed * 7919 + 17) >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Runs until so many frames have been read. Rejects at a find, which names the seed and the tick. */
export async function runCanary(seed: number, frames: number, sabotage?: Sabotage): Promise<CanaryTally> {
  const run = new CanaryRun(seed, sabotage);
  const { model, tally } = run;
  try {
    await run.begin();
    while (model.counts.frames < frames) await run.step();
    await run.end();
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`seed ${seed}, tick ${tally.ticks}: ${message}`, { cause: error });
  }
  return { ...tally, ...model.counts, ...model.past.counts };
}
