/**
 * Entities that are attached, detached, moved and removed in one tick, at random, are in a cluster where they would be in a world of
 * one process that is told the same calls in the same order, although the calls of a record have an order of their own.
 */
import { type EntityId, UmweltError, World } from 'umwelt';
import { afterEach, expect, it } from 'vitest';
import { type ClusterNode, memoryLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { haltNodes, joinNode } from '../joined-nodes.ts';
import { Random } from '../simulation/random.ts';

afterEach(haltNodes);

const COUNT = 4;
const CALLS = 7;
const ROUNDS = 3;
const COLUMNS = { x: [0, 10, 20, 30], y: [0, 0, 0, 0] };

/** A node's entities and those of a world, which are the same. */
class Twins {
  readonly #node: ClusterNode;
  readonly #world = new World();
  readonly #random: Random;
  readonly #ids: Uint32Array;
  readonly #own: Uint32Array;
  told: string[] = [];

  constructor(node: ClusterNode, ids: Uint32Array, seed: number) {
    this.#node = node;
    this.#random = new Random(seed);
    this.#ids = ids;
    this.#own = this.#world.addMany(COLUMNS);
    this.#world.tick();
  }

  static async on(seed: number): Promise<Twins> {
    const node = await joinNode(memoryLog(), 'a', { tickMs: 1 });
    const ids = await node.addMany(COLUMNS);
    await expect.poll(() => node.owned.size).toBe(COUNT);
    return new Twins(node, ids, seed);
  }

  /** Some calls in one tick; resolves when the log has them. */
  async round(): Promise<void> {
    this.told = [];
    for (let call = 0; call < CALLS; call++) this.#call();
    this.#world.tick();
    const { outbox } = participantOf(this.#node);
    const { tickCount } = this.#node.world;
    await expect.poll(() => outbox.isEmpty && this.#node.world.tickCount > tickCount + 5).toBe(true);
  }

  places(): [node: string[], world: string[]] {
    return [placesIn(this.#node.world, this.#ids), placesIn(this.#world, this.#own)];
  }

  #call(): void {
    const random = this.#random;
    const [at, other] = [random.below(COUNT), random.below(COUNT)];
    const [x, y] = [random.below(1000), random.below(1000)];
    const offset = { x: 1, y: 1 };
    const [id, own] = [this.#ids[at]!, this.#own[at]!];
    const calls: readonly [string, () => void, () => void][] = [
      [`move ${at} to ${x}, ${y}`, () => this.#world.move(own, x, y), () => this.#node.move(id, x, y)],
      [
        `attach ${at} to ${other}`,
        () => this.#world.attach(own, this.#own[other]!, offset),
        () => this.#node.attachEntity(id, this.#ids[other]!, offset),
      ],
      [`detach ${at}`, () => this.#world.detach(own), () => this.#node.detachEntity(id)],
      [`remove ${at}`, () => this.#world.remove(own), () => this.#node.remove(id)],
    ];
    const [what, inWorld, inCluster] = random.of(
      [0, 0, 1, 1, 2, random.below(4)].map((kind) => calls[kind]!),
    );
    try {
      inWorld();
    } catch (error) {
      // A mistake, also in a cluster: what becomes of it there is not the point here.
      if (error instanceof UmweltError) return;
      throw error;
    }
    this.told.push(what);
    inCluster();
  }
}

function placesIn(world: Pick<World, 'has' | 'position' | 'parentOf'>, ids: ArrayLike<EntityId>): string[] {
  const all = Array.from(ids);
  return all.map((id) => {
    if (!world.has(id)) return 'removed';
    const parent = world.parentOf(id);
    return `${[...world.position(id)]}${parent === undefined ? '' : ` at ${all.indexOf(parent)}`}`;
  });
}

it.each(Array.from({ length: 40 }, (_, seed) => seed))('as in one world, seed %i', async (seed) => {
  const twins = await Twins.on(seed);
  for (let round = 0; round < ROUNDS; round++) {
    await twins.round();
    const [inCluster, inWorld] = twins.places();
    expect(inCluster, twins.told.join('; ')).toEqual(inWorld);
  }
});
