/**
 * The same calls on a cluster and on one world: what a script of calls in single ticks makes of both must be the same, tick by tick,
 * on every node. The world takes the calls of each record in the order in which the node's game made them.
 *
 * A node knows what is attached by its last tick and by its own calls, not what another one attaches in the same tick.
 */
import { type DetectorName, detectorNames, type EntityId, UmweltError } from 'umwelt';
import type { ClusterNode } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import type { ShownWorld } from '../../src/node/shown-world.ts';
import type { Calls } from '../../src/records/calls.ts';
import { FORMATS, type Formats } from '../../src/records/formats.ts';
import { readRecord } from '../../src/records/record.ts';
import { nextSeqOf } from '../../src/state/members.ts';
import { RULES, type Rules } from '../../src/state/rules.ts';
import { goneRecord } from '../record-makers.ts';
import { channelOptions, worldOptions } from '../simulation/game.ts';
import { PromisesKept } from '../simulation/promises-kept.ts';
import { Random } from '../simulation/random.ts';
import { SimulatedBroker } from '../simulation/simulated-broker.ts';
import { environmentIn, VirtualTime } from '../simulation/virtual-time.ts';
import { pairOf, phaseOf, placeOf, type Told } from './calls.ts';
import { type Answers, OneWorld, standing, whole } from './one-world.ts';
import type { Call, Kind, Script } from './script.ts';

const RANGE = 25;
/** Ticks after the last call. */
const QUIET_TICKS = 5;
const PATIENCE_MS = 60_000;

interface Made {
  readonly kind: Kind;
  /** Of the entity that it is for; 0 if that does not matter. */
  readonly id: EntityId;
  readonly told: Told;
}

/** After a tick. */
interface Report {
  /** Of all watchers, shown here or not. */
  readonly whole: readonly string[];
  readonly standing: readonly string[];
  /** `undefined` for the first one: before it the node may have copied a state. */
  readonly heard: readonly string[] | undefined;
}

/** A node, and what it was told. */
class Player {
  readonly node: ClusterNode;
  readonly name: string;
  readonly promises: PromisesKept;
  readonly reports = new Map<number, Report>();
  /** Calls that wait for a record. */
  waiting: Made[] = [];
  /** As a member; 0 before. */
  incarnation = 0;
  /** No call of it is in the log any more. */
  isLeaving = false;
  isOver = false;
  /** When all is over: what it counts as its own otherwise than the log. */
  misowned: readonly EntityId[] = [];
  #heard: string[] | undefined;

  constructor(node: ClusterNode, now: () => number) {
    this.node = node;
    this.name = node.name;
    this.promises = new PromisesKept(node, now);
    node.on('message', (id, bytes, from) =>
      this.#heard?.push(`message ${id} ${bytes} of ${from.incarnation}`),
    );
    node.on('broadcast', (marker, bytes, sense) =>
      this.#heard?.push(`broadcast ${marker} ${bytes} by ${sense}`),
    );
    node.on('fields', (id, fields) => this.#heard?.push(`fields ${id} ${JSON.stringify(fields)}`));
    node.on('copy', () => {
      this.#heard = undefined;
    });
    node.on('tick', (changes) => {
      const report = {
        whole: whole(changes),
        standing: standing(this.#answers, changes),
        heard: this.#heard,
      };
      this.reports.set(changes.tick, report);
      this.#heard = [];
    });
  }

  /** All calls are in the log. */
  end(): void {
    const { node, incarnation } = this;
    this.misowned = [...node.world.ids()].filter(
      (id) => node.owned.has(id) !== (node.ownerOf(id)?.incarnation === incarnation),
    );
    node.halt();
  }

  get #answers(): Answers {
    const { node } = this;
    const hasChannels = participantOf(node).replica.channels !== undefined;
    return {
      world: node.world,
      ownerOf: (id) => node.ownerOf(id)?.incarnation,
      showerOf: (id) => node.showerOf(id)?.incarnation,
      channelOf: (id) => (hasChannels ? node.channelOf(id) : 0),
      channelCount: hasChannels ? node.channelCount : 0,
      find: (key) => node.find(key),
      fieldsOf: (id) => node.fieldsOf(id),
      stateOf: (id) => node.stateOf(id),
      shows: (watcher) => (node.world as ShownWorld).shows(watcher),
    };
  }
}

/** What the nodes were told, and what they reported. */
class Stage {
  readonly players: Player[] = [];
  readonly #script: Script;
  readonly #rules: (number: number) => Rules;
  readonly #time = new VirtualTime();
  readonly #random: Random;
  readonly #broker: SimulatedBroker;
  readonly #views: 'own' | 'all';
  readonly #ids: EntityId[] = [];
  /** By incarnation and number of its record: the calls in it. */
  readonly #records = new Map<string, readonly Made[]>();
  /** The tick of the first round. */
  #start = Number.POSITIVE_INFINITY;
  /** What must come to its end before the script does. */
  #underWay = 0;
  #fault: unknown;

  constructor(script: Script, rules = (_number: number): Rules => RULES) {
    this.#script = script;
    this.#rules = rules;
    this.#views = script.views ?? 'all';
    this.#random = new Random(script.seed ?? 1);
    this.#broker = new SimulatedBroker(this.#time, this.#random);
  }

  async join(name: string, formats: Formats = FORMATS): Promise<void> {
    const number = this.players.length;
    const log = this.#broker.connect((call) => call());
    const channels = this.#channels;
    const { tickMs = 50, slowMs = 0 } = this.#script;
    log.slow(Number.POSITIVE_INFINITY, slowMs * (number % 3));
    const detector: DetectorName = detectorNames[number % detectorNames.length]!;
    const node = nodeIn(
      {
        log,
        name,
        tickMs,
        silenceTicks: 1e6,
        views: this.#views,
        adopts: number !== 1,
        world: { ...this.#world, detector },
        ...(channels && { channels }),
      },
      {
        ...environmentIn(this.#time, this.#random, { fault: (error) => this.#failed(error) }),
        formats,
        rules: this.#rules(number),
      },
    );
    node.on('failed', (error) => this.#failed(error));
    const player = new Player(node, () => this.#time.now);
    this.players.push(player);
    node.on('simulate', (tick) => {
      for (const call of this.#script.rounds[tick - this.#start] ?? [])
        if (call.node === number && !player.isLeaving && !player.isOver) this.#call(player, call);
    });
    this.#noteRecords(player);
    await this.#finish(node.enter());
    player.incarnation = node.self!.incarnation;
  }

  get #world() {
    const { hasRules = false, dimensions = 2 } = this.#script;
    return worldOptions({ hasRules, dimensions });
  }

  get #channels() {
    return channelOptions({ seed: this.#script.seed ?? 1 });
  }

  #noteRecords(player: Player): void {
    const participant = participantOf(player.node);
    const { outbox } = participant;
    const take = outbox.take.bind(outbox);
    outbox.take = (...given) => {
      const self = participant.self!;
      this.#records.set(`${self.incarnation} ${nextSeqOf(self)}`, player.waiting);
      player.waiting = [];
      return take(...given);
    };
  }

  #failed(error: unknown): void {
    this.#fault ??= error;
  }

  async #finish(answer: Promise<unknown>): Promise<void> {
    this.#underWay++;
    const done = () => {
      this.#underWay--;
    };
    answer.then(done, done);
    await answer;
  }

  async #until(isSo: () => boolean): Promise<void> {
    const end = this.#time.now + PATIENCE_MS;
    while (!isSo()) {
      await this.#time.run(this.#time.now + 5);
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#time.now > end) throw new Error('the cluster came to no end');
    }
  }

  /** Entities of all nodes in turn, each shown by its own. */
  async fill(formats?: Formats): Promise<void> {
    const { nodes, entities, dimensions } = this.#script;
    for (let number = 0; number < nodes; number++) {
      const entered = this.join(`n${number}`, formats);
      entered.catch((error) => this.#failed(error));
      await this.#until(() => this.#underWay === 0);
      await entered;
    }
    for (let at = 0; at < entities; at++) {
      const player = this.players[at % nodes]!;
      const entity = { ...placeOf(10 * at, 0, dimensions === 3 ? at : undefined), range: RANGE };
      const add = player.node.add(entity);
      this.#note(player, 'add', (one, by) => one.add(by, entity));
      await this.#until(() => this.players.every(({ node }) => node.world.size > at));
      this.#ids.push(await add);
    }
    for (const [at, id] of this.#ids.entries()) {
      const player = this.players[at % nodes]!;
      player.promises.asked(id, player.node.show(id));
      this.#note(player, 'show', (one, by) => one.show(by, id, true));
    }
    await this.#until(() => this.#ids.every((id) => this.players[0]!.node.showerOf(id) !== undefined));
  }

  #note({ waiting }: Player, kind: Kind, told: Told, id = 0): void {
    waiting.push({ kind, told, id });
  }

  /** Plays the rounds in successive ticks, each node its own calls. */
  async play(): Promise<void> {
    const tickOf = ({ node }: Player) => node.world.tickCount;
    this.#start = Math.max(...this.players.map(tickOf)) + 2;
    const end = this.#start + this.#script.rounds.length;
    await this.#until(() => this.#live.every((player) => tickOf(player) >= end) && this.#underWay === 0);
    await this.#until(() => this.#live.every(({ node }) => participantOf(node).outbox.isEmpty));
    // The last records are under way.
    await this.#time.run(this.#time.now + 10 * (this.#script.slowMs ?? 0));
    const quiet = Math.max(...this.#live.map(tickOf)) + QUIET_TICKS;
    await this.#until(() => this.#live.every((player) => tickOf(player) >= quiet));
    for (const player of this.#live) player.end();
  }

  get #live(): Player[] {
    return this.players.filter(({ isOver }) => !isOver);
  }

  #call(player: Player, call: Call): void {
    const { kind } = call;
    if (kind === 'join') this.#joinFurther(call);
    else if (kind === 'leave' || kind === 'halt') this.#end(player, kind, call);
    else {
      const { node } = player;
      const pair = pairOf(
        { ...call, kind },
        { node, ids: this.#ids, views: this.#views, fills: this.#script.fills === true, added: this.#added },
      );
      if (pair !== undefined) this.#make(player, call, ...pair);
    }
  }

  #make(player: Player, { kind, a }: Call, make: () => unknown, told: Told): void {
    const { outbox } = participantOf(player.node);
    const { bytes } = outbox;
    try {
      const answer = make();
      if (answer instanceof Promise) {
        if (kind === 'show') player.promises.asked(this.#ids[a]!, answer);
        else player.promises.expect(kind, answer);
        // It was refused at once.
        if (outbox.bytes === bytes) return;
      }
    } catch (error) {
      if (error instanceof UmweltError) return;
      throw error;
    }
    this.#note(player, kind, told, this.#ids[a]);
  }

  readonly #added = (answer: Promise<EntityId | Uint32Array>): Promise<unknown> =>
    answer.then((ids) => this.#ids.push(...(typeof ids === 'number' ? [ids] : ids)));

  /** Sometimes under the name of one that was halted, and has not come back yet. */
  #joinFurther({ x }: Call): void {
    const names = new Set(this.#live.map(({ name }) => name));
    const halted = this.players.filter(({ isOver, name }) => isOver && !names.has(name));
    const name = x % 2 === 0 ? halted[x % Math.max(1, halted.length)]?.name : undefined;
    this.join(name ?? `n${this.players.length}`).catch((error) => this.#failed(error));
  }

  /** One node is left. */
  #end(player: Player, kind: 'leave' | 'halt', { y }: Call): void {
    const { node } = player;
    const isOther = (each: Player) =>
      each !== player && each.incarnation > 0 && !each.isLeaving && !each.isOver;
    if (!this.players.some(isOther)) return;
    if (kind === 'halt') {
      const { number, incarnation } = participantOf(node).self!;
      player.isOver = true;
      node.halt();
      this.#underWay++;
      this.#time.after(5 * y, () => {
        this.#underWay--;
        this.#broker.arrive(goneRecord(number, incarnation));
      });
      return;
    }
    player.isLeaving = true;
    const others = node.members.filter((member) => member.adopts && member.name !== node.name);
    const ids = [...node.owned];
    this.#note(player, kind, (one, by) => one.giveAll(by, ids, others));
    this.#finish(node.leave()).then(
      () => {
        player.isOver = true;
      },
      (error) => this.#failed(error),
    );
  }

  /** What differs first; `undefined` if nothing does. */
  difference(): string | undefined {
    const one = new OneWorld(this.#world, this.#channels, this.#views);
    const seqs = new Map<number, number>();
    /** By incarnation: calls for which its last record had no room. */
    const waiting = new Map<number, readonly Made[]>();
    for (const [index, bytes] of this.#broker.records.entries()) {
      const record = readRecord(bytes);
      const { incarnation } = record;
      if (record.kind === 'hello') {
        const player = this.players.find((each) => each.incarnation === index + 1);
        if (player === undefined) continue;
        one.join({ incarnation: index + 1, name: player.name, adopts: record.hello.adopts });
      } else if (record.kind === 'gone') one.end(incarnation);
      else if (!one.isLive(incarnation)) continue;
      else if (record.kind === 'mark') {
        const problem = record.tick === one.world.tickCount + 1 ? this.#mark(one) : undefined;
        if (problem !== undefined) return problem;
      } else if ('seq' in record && record.seq === (seqs.get(incarnation) ?? 0) + 1) {
        seqs.set(incarnation, record.seq);
        const calls = [...(waiting.get(incarnation) ?? []), ...this.#callsOf(incarnation, record.seq)];
        const isIn =
          this.#script.fills === true && record.kind === 'calls' ? isInRecord(record.calls) : () => true;
        const { in: told = [], later = [] } = Object.groupBy(calls, (call) => (isIn(call) ? 'in' : 'later'));
        waiting.set(incarnation, later);
        this.#tell(one, told, incarnation);
        if (record.kind === 'bye') one.end(incarnation);
      }
    }
    for (const { promises, misowned, name } of this.players) {
      if (misowned.length > 0) return `${name} is wrong about who owns ${misowned}`;
      const problem = promises.problem ?? promises.unanswered(Number.POSITIVE_INFINITY);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  #callsOf(incarnation: number, seq: number): readonly Made[] {
    return this.#records.get(`${incarnation} ${seq}`) ?? [];
  }

  #tell(one: OneWorld, calls: readonly Made[], by: number): void {
    const inOrder = calls.toSorted((first, second) => phaseOf(first.kind) - phaseOf(second.kind));
    for (const { told } of inOrder) one.tell(() => told(one, by));
  }

  #mark(one: OneWorld): string | undefined {
    const changes = one.mark();
    for (const [number, { reports, incarnation }] of this.players.entries()) {
      const report = reports.get(changes.tick);
      if (report === undefined) continue;
      const expected = standing(one.answersOf(incarnation), changes);
      const found =
        lineApart(report.standing, expected) ??
        (report.heard && lineApart(report.heard, one.heardBy(incarnation))) ??
        (this.#views === 'all' ? lineApart(report.whole, whole(changes)) : undefined);
      if (found !== undefined) return `tick ${changes.tick}, node ${number}: ${found}`;
    }
    return undefined;
  }

  /** Where each entity is, and to which it is attached. */
  placesOn(world: Pick<ClusterNode['world'], 'has' | 'position' | 'parentOf'>): string[] {
    return this.#ids.map((id) => {
      if (!world.has(id)) return 'removed';
      const parent = world.parentOf(id);
      return `${[...world.position(id)]}${parent === undefined ? '' : ` at ${this.#ids.indexOf(parent)}`}`;
    });
  }

  /** Of a world that was told all calls in their order, in one tick for all. */
  placesInWorld(): string[] {
    const one = new OneWorld(this.#world, this.#channels, this.#views);
    for (const calls of this.#records.values()) {
      this.#tell(one, calls, 0);
      one.mark();
    }
    return this.placesOn(one.world);
  }
}

/** Tells of a move whether it is in the record, and of one message after the other. */
function isInRecord({ moves, sends = [] }: Calls): (call: Made) => boolean {
  const moved = new Set(moves?.ids);
  let heard = 0;
  return ({ kind, id }) => (kind === 'send' ? heard++ < sends.length : kind !== 'move' || moved.has(id));
}

/** The first line in which they differ. */
function lineApart(found: readonly string[], expected: readonly string[]): string | undefined {
  for (let at = 0; at < Math.max(found.length, expected.length); at++)
    if (found[at] !== expected[at]) return `${found[at]}; expected ${expected[at]}`;
  return undefined;
}

/** What the cluster makes of a script differently from one world; `undefined` if nothing. */
export async function played(script: Script, rules?: (number: number) => Rules): Promise<string | undefined> {
  const stage = new Stage(script, rules);
  await stage.fill();
  await stage.play();
  return stage.difference();
}

/** Where a script that one node plays leaves all entities, in a cluster of these formats and in one world. */
export async function placesAfter(
  script: Script,
  formats: Formats,
): Promise<[cluster: string[], world: string[]]> {
  const stage = new Stage(script);
  await stage.fill(formats);
  await stage.play();
  return [stage.placesOn(stage.players[0]!.node.world), stage.placesInWorld()];
}
