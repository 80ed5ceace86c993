/**
 * The same calls on a cluster and on one world: what a script of calls in single ticks makes of both must be the same, tick by tick,
 * on every node. The world takes the calls of each record in the order in which the node's game made them.
 *
 * A node knows what is attached by its last tick and by its own calls, not what another one attaches in the same tick.
 */
import { type EntityId, type EntityInit, UmweltError, World, type WorldOptions } from 'umwelt';
import type { ClusterNode, Log } from '../../src/index.ts';
import { memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { SYSTEM } from '../../src/node/environment.ts';
import { nodeIn } from '../../src/node/join-world.ts';
import { FORMATS, type Formats } from '../../src/records/formats.ts';
import { readRecord } from '../../src/records/record.ts';
import { nextSeqOf } from '../../src/state/members.ts';
import { haltNodes, nodes } from '../joined-nodes.ts';
import type { Random } from '../simulation/random.ts';

const KINDS = [
  'move',
  'move',
  'move',
  'teleport',
  'moveMany',
  'attach',
  'attach',
  'attach',
  'detach',
  'detach',
  'remove',
  'removeMany',
  'update',
  'updateMany',
  'touch',
  'pin',
  'unpin',
  'block',
  'unblock',
  'add',
  'give',
] as const;

/** Those of which the order matters. */
const FAMILY_KINDS = [
  'move',
  'move',
  'move',
  'teleport',
  'attach',
  'attach',
  'attach',
  'detach',
  'remove',
] as const;

/** One call; `a` and `b` number entities in the order in which they were added. */
export interface Call {
  readonly node: number;
  readonly kind: (typeof KINDS)[number];
  readonly a: number;
  readonly b: number;
  readonly x: number;
  readonly y: number;
}

export interface Script {
  readonly nodes: number;
  readonly entities: number;
  /** The calls of each tick. */
  readonly rounds: readonly (readonly Call[])[];
}

export function drawnScript(random: Random): Script {
  const nodeCount = random.of([1, 1, 2, 3]);
  const entities = 3 + random.below(4);
  const kinds = random.of([KINDS, FAMILY_KINDS]);
  const drawn = (): Call => ({
    kind: random.of<Call['kind']>(kinds),
    node: random.below(nodeCount),
    a: random.below(entities + 1),
    b: random.below(entities + 1),
    x: random.below(60),
    y: random.below(60),
  });
  const rounds = Array.from({ length: 1 + random.below(5) }, () =>
    Array.from({ length: random.below(10) }, drawn),
  );
  return { nodes: nodeCount, entities, rounds };
}

/** As text that a test can hold. */
export function scriptText({ nodes: count, entities, rounds }: Script): string {
  const lines = rounds.map((calls) => `    [${calls.map((call) => JSON.stringify(call)).join(',\n     ')}],`);
  return `{ nodes: ${count}, entities: ${entities}, rounds: [\n${lines.join('\n')}\n  ] }`;
}

const OPTIONS: WorldOptions = { interests: { default: { leaveMargin: 4, cap: 3 } } };
const RANGE = 25;
/** Ticks after the last call. */
const QUIET_TICKS = 5;

type Made = (world: World) => unknown;

/** What the nodes were told, and what they reported. */
class Stage {
  readonly log: Log = memoryLog();
  readonly nodes: ClusterNode[] = [];
  readonly #ids: EntityId[] = [];
  /** By member and number of its record: the calls in it. */
  readonly #records = new Map<string, Made[]>();
  readonly #waiting: Made[][] = [];
  /** By node, then by tick: hashes of the report and of the state. */
  readonly #told: Map<number, string>[] = [];
  readonly #shown: { asked: EntityId[]; resting: EntityId[] } = { asked: [], resting: [] };

  async join(formats: Formats): Promise<void> {
    const index = this.nodes.length;
    const options = {
      log: this.log,
      name: `n${index}`,
      tickMs: 1,
      silenceTicks: 1e6,
      views: 'all',
      world: OPTIONS,
    } as const;
    const node = nodeIn(options, { ...SYSTEM, formats });
    nodes.push(node);
    const told = new Map<number, string>();
    node.on('tick', (changes) => told.set(changes.tick, `${changes.hash()} ${node.world.stateHash()}`));
    await node.enter();
    this.nodes.push(node);
    this.#told.push(told);
    this.#waiting.push([]);
    const participant = participantOf(node);
    const { outbox } = participant;
    const take = outbox.take.bind(outbox);
    outbox.take = (...given) => {
      const self = participant.self!;
      this.#records.set(`${self.number} ${nextSeqOf(self)}`, this.#waiting[index]!);
      this.#waiting[index] = [];
      return take(...given);
    };
  }

  /** Entities of all nodes in turn, shown by the first one. */
  async fill(entities: number): Promise<void> {
    const adds = Array.from({ length: entities }, (_, at) =>
      this.#add(at % this.nodes.length, { x: 10 * at, y: 0, range: RANGE }),
    );
    this.#ids.push(...(await Promise.all(adds)));
    for (const node of this.nodes) while (node.world.size < entities) await turned();
    const shows = this.#ids.map((id) => this.nodes[0]!.show(id));
    for (const id of this.#ids) this.#waiting[0]!.push(() => this.#shown.asked.push(id));
    await Promise.all(shows);
  }

  #add(index: number, entity: EntityInit): Promise<EntityId> {
    const added = this.nodes[index]!.add(entity);
    this.#waiting[index]!.push((world) => world.add({ ...entity, watches: false }));
    return added;
  }

  /** Plays the rounds in successive ticks, each node its own calls. */
  async play(rounds: Script['rounds']): Promise<void> {
    const start = Math.max(...this.nodes.map(({ world }) => world.tickCount)) + 2;
    for (const [index, node] of this.nodes.entries()) {
      node.on('simulate', (tick) => {
        for (const call of rounds[tick - start] ?? []) if (call.node === index) this.#call(call);
      });
    }
    const end = start + rounds.length + QUIET_TICKS;
    for (const node of this.nodes) {
      while (node.world.tickCount < end || !participantOf(node).outbox.isEmpty) await turned();
    }
  }

  #call({ node: index, kind, a, b, x, y }: Call): void {
    const node = this.nodes[index]!;
    const [id, other] = [this.#ids[a], this.#ids[b]];
    if (kind === 'add') {
      this.#add(index, { x, y }).then(
        (added) => this.#ids.push(added),
        () => {},
      );
      return;
    }
    if (id === undefined || other === undefined) return;
    const both = Uint32Array.of(id, other);
    const patches = [{ range: x }, { layers: 1 + (x % 3) }, { marker: x % 2 === 0 }, { gain: y / 30 }];
    const patch = patches[y % patches.length]!;
    const calls: { readonly [K in Exclude<Call['kind'], 'add'>]: [made: () => void, world: Made] } = {
      move: [() => node.move(id, x, y), (world) => world.move(id, x, y)],
      teleport: [
        () => node.move(id, x, y, undefined, { teleport: true }),
        (world) => world.move(id, x, y, undefined, { teleport: true }),
      ],
      moveMany: [
        () => node.moveMany(both, [x, y], [y, x]),
        (world) => {
          // A node makes the moves that can be made, a world none.
          refused(() => world.move(id, x, y));
          refused(() => world.move(other, y, x));
        },
      ],
      attach: [
        () => node.attachEntity(id, other, { x: 1 + (x % 3), y: y % 3 }),
        (world) => world.attach(id, other, { x: 1 + (x % 3), y: y % 3 }),
      ],
      detach: [() => node.detachEntity(id), (world) => world.detach(id)],
      remove: [() => node.remove(id), (world) => world.remove(id)],
      removeMany: [() => node.removeMany(both), (world) => world.removeMany(both)],
      update: [() => node.update(id, patch), (world) => world.update(id, patch)],
      updateMany: [
        () => node.updateMany(both, { range: [x, y] }),
        (world) => world.updateMany(both, { range: [x, y] }),
      ],
      touch: [() => node.touch(id), (world) => world.touch(id)],
      pin: [() => node.pin(id, other), (world) => world.pin(id, other)],
      unpin: [() => node.unpin(id, other), (world) => world.unpin(id, other)],
      block: [() => node.block(id, other), (world) => world.block(id, other)],
      unblock: [() => node.unblock(id, other), (world) => world.unblock(id, other)],
      give: [() => node.give(id, node.members[x % node.members.length]!), () => {}],
    };
    const [make, inWorld] = calls[kind];
    if (refused(make)) return;
    this.#waiting[index]!.push(inWorld);
  }

  /** What differs first; `undefined` if nothing does. */
  async difference(): Promise<string | undefined> {
    const world = new World(OPTIONS);
    const seqs = new Map<number, number>();
    const last = (await this.log.last!())!;
    for (let position = 1; position <= last; position++) {
      const record = readRecord((await this.log.read(position))!);
      if (record.kind === 'calls' && record.seq === (seqs.get(record.member) ?? 0) + 1) {
        seqs.set(record.member, record.seq);
        for (const make of this.#records.get(`${record.member} ${record.seq}`) ?? [])
          refused(() => make(world));
      } else if (record.kind === 'mark' && record.tick === world.tickCount + 1) {
        const problem = this.#mark(world);
        if (problem !== undefined) return problem;
      }
    }
    return undefined;
  }

  #mark(world: World): string | undefined {
    const shown = this.#shown;
    for (const id of shown.resting) world.update(id, { watches: true });
    shown.resting = shown.asked;
    shown.asked = [];
    const changes = world.tick();
    const expected = `${changes.hash()} ${world.stateHash()}`;
    for (const [index, told] of this.#told.entries()) {
      const found = told.get(changes.tick);
      if (found === undefined || found === expected) continue;
      return `tick ${changes.tick}, node ${index}: ${found}, expected ${expected}`;
    }
    return undefined;
  }

  /** Where each entity is, and to which it is attached. */
  placesOn(world: Pick<World, 'has' | 'position' | 'parentOf'>): string[] {
    return this.#ids.map((id) => {
      if (!world.has(id)) return 'removed';
      const parent = world.parentOf(id);
      return `${[...world.position(id)]}${parent === undefined ? '' : ` at ${this.#ids.indexOf(parent)}`}`;
    });
  }

  /** Of a world that was told all calls in their order, in one tick for all. */
  placesInWorld(): string[] {
    const world = new World(OPTIONS);
    for (const made of this.#records.values()) {
      for (const make of made) refused(() => make(world));
      world.tick();
    }
    return this.placesOn(world);
  }
}

/** Whether the call throws an `UmweltError`. */
function refused(make: () => unknown): boolean {
  try {
    make();
    return false;
  } catch (error) {
    if (error instanceof UmweltError) return true;
    throw error;
  }
}

function turned(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What the cluster makes of a script differently from one world; `undefined` if nothing. */
export async function played(script: Script): Promise<string | undefined> {
  const stage = new Stage();
  for (let node = 0; node < script.nodes; node++) await stage.join(FORMATS);
  await stage.fill(script.entities);
  await stage.play(script.rounds);
  haltNodes();
  return stage.difference();
}

/** Where a script that one node plays leaves all entities, in a cluster of these formats and in one world. */
export async function placesAfter(
  script: Script,
  formats: Formats,
): Promise<[cluster: string[], world: string[]]> {
  const stage = new Stage();
  await stage.join(formats);
  await stage.fill(script.entities);
  await stage.play(script.rounds);
  const places = stage.placesOn(stage.nodes[0]!.world);
  haltNodes();
  return [places, stage.placesInWorld()];
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
