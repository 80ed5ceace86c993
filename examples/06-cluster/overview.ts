/**
 * The data for the page's picture of the whole land: a node without players that owns nothing and reports, ten times per second,
 * all positions, owners and showers.
 */
import { type ClusterNode, joinWorld, type Log } from '@umwelt/cluster';
import { JOINED } from './shard.ts';

/** After this many ticks without a record a member counts as quiet: its entities stand still. */
const QUIET_TICKS = 8;
const GAP_TICKS = 200;

export interface MemberFacts {
  readonly name: string;
  readonly port: number;
  readonly owned: number;
  readonly shown: number;
  readonly isQuiet: boolean;
}

/** One picture: six numbers per entity, so that it stays small as text. */
export interface Picture {
  readonly tick: number;
  /** Longest time between two ticks in the last ten seconds. */
  readonly gapMs: number;
  readonly members: readonly MemberFacts[];
  /** Id, x and y in tenths, index of the owner in `members` or -1, of the shower or -1, 1 for a player. */
  readonly entities: readonly number[];
  /** Names of players, by id. */
  readonly names: Readonly<Record<string, string>>;
  /** Number of entities that existed once and do not exist any more. */
  readonly missing: number;
  readonly everSeen: number;
}

const OBSERVER = 'Observer';

export class Overview {
  readonly node: ClusterNode;
  readonly #ever = new Set<number>();
  readonly #gaps: number[] = [];
  #lastMs = performance.now();

  private constructor(node: ClusterNode) {
    this.node = node;
    node.on('tick', (changes) => {
      const nowMs = performance.now();
      this.#gaps.push(nowMs - this.#lastMs);
      if (this.#gaps.length > GAP_TICKS) this.#gaps.shift();
      this.#lastMs = nowMs;
      if (changes.tick % 10 === 0) for (const id of node.world.ids()) this.#ever.add(id);
    });
  }

  static async join(log: Log): Promise<Overview> {
    return new Overview(await joinWorld({ ...JOINED, log, name: OBSERVER, adopts: false }));
  }

  picture(ports: ReadonlyMap<string, number>): Picture {
    const { node } = this;
    const { world } = node;
    const members = node.members.filter(({ name }) => name !== OBSERVER);
    const indexOf = new Map(members.map(({ name }, index) => [name, index]));
    const owned = members.map(() => 0);
    const shown = members.map(() => 0);
    const entities: number[] = [];
    const names: Record<string, string> = {};
    for (const id of world.ids()) {
      const [x = 0, y = 0] = world.position(id);
      const owner = indexOf.get(node.ownerOf(id)?.name ?? '') ?? -1;
      const shower = indexOf.get(node.showerOf(id)?.name ?? '') ?? -1;
      if (owner >= 0) owned[owner] = (owned[owner] ?? 0) + 1;
      if (shower >= 0) shown[shower] = (shown[shower] ?? 0) + 1;
      const { name } = node.fieldsOf(id);
      if (name !== undefined) names[id] = String(name);
      entities.push(id, Math.round(10 * x), Math.round(10 * y), owner, shower, name === undefined ? 0 : 1);
    }
    let missing = 0;
    for (const id of this.#ever) if (!world.has(id)) missing++;
    return {
      tick: world.tickCount,
      gapMs: Math.round(Math.max(performance.now() - this.#lastMs, ...this.#gaps)),
      members: members.map(({ name, silentTicks }, index) => ({
        name,
        port: ports.get(name) ?? 0,
        owned: owned[index] ?? 0,
        shown: shown[index] ?? 0,
        isQuiet: silentTicks > QUIET_TICKS,
      })),
      entities,
      names,
      missing,
      everSeen: this.#ever.size,
    };
  }
}
