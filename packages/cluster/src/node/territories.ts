/**
 * Assigns entities to members by place: one member simulates all entities in a tile of the plane, so that game code finds
 * neighbours in its own process.
 *
 * This is a convenience, not a rule: the log decides who owns what, and an entity that is with the wrong member for a moment is
 * still exact. The member of a tile follows from the names of the adopting members, by rendezvous hashing: all nodes agree
 * without communication, and when a member joins or leaves only its own tiles change. An entity is given away when it is
 * outside its tile by more than the hysteresis, so an entity that jitters on a border stays with its member.
 *
 * Cost: about 50 ns per tick and owned entity. Memory: one map entry per owned entity, and one per tile, at most 65,536
 * tiles. At most 4,096 entities are given away per tick; the rest follows in the next ticks.
 */
import { type EntityId, UmweltError } from 'umwelt';
import { badOption, rejectUnknown } from '../log/bad-option.ts';
import { mixed } from '../state/mixed.ts';
import { checkObject } from './call-checks.ts';
import type { ClusterNode } from './cluster-node.ts';

/** Gives take 14 bytes each: this limit is a fraction of what may wait for the log. */
const GIVES_MAX = 4096;
/** Tiles whose member is cached; beyond that the cache is rebuilt. */
const KNOWN_MAX = 65_536;
/** Tile numbers per axis have 26 bits, so that both fit into one number; positions beyond belong to the outermost tiles. */
const TILE_MAX = 2 ** 25 - 1;
const ROW = 2 ** 26;
const OPTIONS = ['tileSize', 'hysteresis'];

/** Options of `new Territories()`. */
export interface TerritoriesOptions {
  /** Tile edge in world units along x and y; above 0. Must be the same on all nodes, else they give each other the same entities. */
  readonly tileSize: number;
  /** How far outside its tile an entity may be before it is given away, in world units. Default: a tenth of `tileSize`. */
  readonly hysteresis?: number;
}

/**
 * Gives each entity that this node owns to the member of the tile that it is in, with the state that `keep` stored last. For a choice
 * of your own among them, call `give` instead.
 */
export class Territories {
  /** The given value. */
  readonly tileSize: number;
  /** The given value, or the default. */
  readonly hysteresis: number;
  readonly #node: ClusterNode;
  readonly #position = new Float32Array(3);
  /** By owned entity: the tile that it belongs to. */
  readonly #tileOf = new Map<EntityId, number>();
  /** By tile: the name of its member; valid while the members stay the same. */
  readonly #memberOf = new Map<number, string | undefined>();
  #names: readonly string[] = [];
  readonly #stops: (() => void)[];

  /** Starts at once; ends with `stop`. Throws `BAD_OPTION`. */
  constructor(node: ClusterNode, options: TerritoriesOptions) {
    if (typeof node?.on !== 'function' || typeof node.give !== 'function')
      throw badOption('node', node, 'a node, what joinWorld() resolves to');
    checkObject('options', options, 'an object with TerritoriesOptions');
    rejectUnknown(options, OPTIONS);
    const { tileSize } = options;
    // `isFinite` is false for all but numbers; other values cannot be compared, or are converted.
    if (!Number.isFinite(tileSize) || tileSize <= 0)
      throw badOption('tileSize', tileSize, 'a number above 0');
    const { hysteresis = tileSize / 10 } = options;
    if (!Number.isFinite(hysteresis) || hysteresis < 0) {
      throw badOption('hysteresis', hysteresis, 'a number of at least 0');
    }
    this.tileSize = tileSize;
    this.hysteresis = hysteresis;
    this.#node = node;
    this.#stops = [
      node.on('members', () => this.#memberOf.clear()),
      node.on('copy', () => this.#memberOf.clear()),
      node.on('lose', (id) => this.#tileOf.delete(id)),
      node.on('simulate', () => this.#give()),
    ];
  }

  /** Name of the member that simulates that place now; `undefined` if no member adopts. Throws `BAD_POSITION`. Cost: O(members). */
  memberAt(x: number, y: number): string | undefined {
    for (const [field, value] of [
      ['x', x],
      ['y', y],
    ] as const) {
      if (typeof value !== 'number' || Number.isNaN(value))
        throw badOption(field, value, 'a number', 'BAD_POSITION');
    }
    // Not from the cache: an earlier listener of 'members' may ask before this one's empties it, or a game after `stop`.
    return highest(this.#tileAt(x, y), namesOf(this.#node));
  }

  /** Stops giving entities away. Idempotent. */
  stop(): void {
    for (const stop of this.#stops) stop();
    this.#tileOf.clear();
  }

  #give(): void {
    const node = this.#node;
    const { name } = node;
    if (this.#memberOf.size === 0) this.#names = namesOf(node);
    let left = GIVES_MAX;
    for (const id of node.owned) {
      const tile = this.#follow(id);
      const member = tile === undefined ? undefined : this.#memberAt(tile);
      if (member === undefined || member === name) continue;
      if (left-- === 0) return;
      try {
        node.give(id, member);
      } catch (error) {
        // The next tick tries again.
        if (error instanceof UmweltError && error.code === 'TOO_MUCH') return;
        throw error;
      }
    }
  }

  /** The tile that the entity belongs to now. */
  #follow(id: EntityId): number | undefined {
    const { world } = this.#node;
    if (!world.has(id)) return undefined;
    const [x = 0, y = 0] = world.position(id, this.#position);
    const known = this.#tileOf.get(id);
    if (known !== undefined && this.#isAbout(known, x, y)) return known;
    const tile = this.#tileAt(x, y);
    this.#tileOf.set(id, tile);
    return tile;
  }

  /** Whether a place is in the tile, or outside it by no more than the hysteresis. */
  #isAbout(tile: number, x: number, y: number): boolean {
    const { tileSize, hysteresis } = this;
    const left = (Math.floor(tile / ROW) - TILE_MAX) * tileSize;
    const low = ((tile % ROW) - TILE_MAX) * tileSize;
    return (
      x >= left - hysteresis &&
      x < left + tileSize + hysteresis &&
      y >= low - hysteresis &&
      y < low + tileSize + hysteresis
    );
  }

  #tileAt(x: number, y: number): number {
    return numberOf(Math.floor(x / this.tileSize)) * ROW + numberOf(Math.floor(y / this.tileSize));
  }

  #memberAt(tile: number): string | undefined {
    if (!this.#memberOf.has(tile)) {
      if (this.#memberOf.size === KNOWN_MAX) this.#memberOf.clear();
      this.#memberOf.set(tile, highest(tile, this.#names));
    }
    return this.#memberOf.get(tile);
  }
}

/** Ascending, so that ties in weight are broken the same way on all nodes. */
function namesOf({ members }: ClusterNode): string[] {
  return members
    .filter(({ adopts }) => adopts)
    .map(({ name }) => name)
    .sort();
}

/** The name with the highest weight for the tile: rendezvous hashing (Thaler and Ravishankar 1998). */
function highest(tile: number, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let most = -1;
  for (const name of names) {
    const weight = weightOf(tile, name);
    if (weight > most) [most, best] = [weight, name];
  }
  return best;
}

function weightOf(tile: number, name: string): number {
  let word = mixed(Math.floor(tile / ROW) ^ mixed((tile % ROW) + 0x9e3779b1));
  for (let i = 0; i < name.length; i++) word = mixed(word ^ Math.imul(name.charCodeAt(i) + 1, 0x85ebca77));
  return word >>> 0;
}

function numberOf(index: number): number {
  return Math.max(-TILE_MAX, Math.min(TILE_MAX, index)) + TILE_MAX;
}
