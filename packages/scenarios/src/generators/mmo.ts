/**
 * Mmo: players among six kinds of people and beasts and many things, with the rules of such games.
 *
 * Each kind is visible from its own distance. Players have mounts that come and go, and pets beside them, both attached. They are
 * in parties of five that see each other anywhere; some players cloak at times. Only its owner sees loot. Dungeons are
 * channels: a player that enters one is at its door, among those within. Only players perceive. People and beasts stroll about
 * their homes and stand; things rest.
 *
 * A step is O(players + people and beasts).
 */
import type { AttachmentOffset, EntityPatch } from 'umwelt';
import { ActorList, Crowd } from '../crowd.ts';
import { COMMON_RULES, checkNumber, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Bounds, Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxisOf, walkTowards } from './walking.ts';

/** Options of `createMmo`. */
export interface MmoOptions extends ScenarioOptions {
  /** Number of players, at most all entities. Default: one in twenty. */
  players?: number | undefined;
  /** Number of people and beasts, as far as there is room. Default: four per player. */
  npcs?: number | undefined;
}

const KINDS = [
  ...['villager', 'merchant', 'guard', 'critter', 'beast', 'boss'],
  ...['tree', 'chest', 'loot', 'player', 'mount', 'pet'],
] as const;
type Kind = (typeof KINDS)[number];
const NPC_KINDS = 6;
const [TREE, CHEST, LOOT, PLAYER, MOUNT, PET] = [6, 7, 8, 9, 10, 11];
/** How far a kind is visible, relative to a player's range: scaled, or at most, or at least. */
const SEEN: Readonly<Record<Kind, { gain?: number; most?: number; least?: number }>> = {
  villager: { gain: 0.6 },
  merchant: { gain: 0.8 },
  guard: {},
  critter: { most: 0.25 },
  beast: { most: 0.75 },
  boss: { least: 1.5 },
  tree: {},
  chest: { gain: 0.4 },
  loot: { most: 0.5 },
  player: {},
  mount: {},
  pet: {},
};
/** One in so many people and beasts is a boss; one in so many things is a chest, and one loot. */
const BOSS_EVERY = 50;
const CHEST_EVERY = 20;
const LOOT_EVERY = 30;
/** One in so many players has a mount, a pet, a cloak. */
const MOUNT_EVERY = 3;
const PET_EVERY = 4;
const ROGUE_EVERY = 5;
const PARTY_SIZE = 5;
const CLOAKED_GAIN = 0.2;
/** Channels: the open world, then the dungeons. One in so many people and beasts is in a dungeon. */
const OPEN_WORLD = 1;
const DUNGEONS = 8;
const DWELLER_EVERY = 10;
/** Mean time between a player's actions, in seconds. */
const DEED_SECONDS = 8;
const PLAYER_SHARE = 20;
const NPCS_A_PLAYER = 4;
/** How far people and beasts stray from home, in ranges, and how long they stand at most, in seconds. */
const STRAY = 0.2;
const STAND_SECONDS = 20;
/** Distance of a pet from its player, in ranges. */
const BESIDE = 1 / 32;

class Mmo extends Crowd {
  override readonly changed: ActorList;
  readonly #random: Random;
  readonly #inner: Bounds;
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  readonly #pace: number;
  readonly #players: Uint32Array;
  /** The first player, mount and pet; things come before people and beasts. */
  readonly #firstNpc: number;
  readonly #firstPlayer: number;
  readonly #firstMount: number;
  readonly #firstPet: number;
  /** By actor: a goal, and the ticks for which it stands or until a player's next action. */
  readonly #homeX: Float32Array;
  readonly #homeY: Float32Array;
  readonly #goalX: Float32Array;
  readonly #goalY: Float32Array;
  readonly #ticksLeft: Uint32Array;
  readonly #channel: Uint8Array;
  readonly #cloaked: Uint8Array;
  readonly #owner: Uint32Array;
  readonly #stray: number;
  /** By kind and channel; and a player's changing properties by channel and whether it is cloaked. */
  readonly #inits: readonly (readonly EntityPatch[])[];
  readonly #patches: readonly (readonly EntityPatch[])[];
  readonly #offsets: readonly [mount: AttachmentOffset, pet: AttachmentOffset];
  readonly #beside: number;
  readonly #inDisc = new Float64Array(2);

  constructor({ players, npcs, ...options }: MmoOptions) {
    const subject = "scenario 'mmo'";
    const { entities, seed, tickSeconds, range, speed, perceived } = numberOptions(subject, options, {
      ...COMMON_RULES,
      perceived: { ...COMMON_RULES.perceived, default: 60 },
    });
    const most = { min: 0, max: entities, whole: true };
    const playerCount = given(subject, 'players', players, {
      ...most,
      default: Math.max(1, Math.round(entities / PLAYER_SHARE)),
    });
    const mounts = Math.min(Math.floor(playerCount / MOUNT_EVERY), entities - playerCount);
    const pets = Math.min(Math.floor(playerCount / PET_EVERY), entities - playerCount - mounts);
    const room = entities - playerCount - mounts - pets;
    const wanted = given(subject, 'npcs', npcs, {
      ...most,
      default: Math.min(entities, NPCS_A_PLAYER * playerCount),
    });
    const npcCount = Math.min(wanted, room);
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'mmo',
      title: 'An online world',
      kinds: KINDS,
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
      world: {
        groups: ['party', 'owner'],
        interests: { default: { leaveMargin: range / 20, showGroup: ['party'] } },
      },
    });
    const random = new Random(seed);
    this.#random = random;
    this.changed = new ActorList(entities);
    this.#firstNpc = room - npcCount;
    this.#firstPlayer = room;
    this.#firstMount = room + playerCount;
    this.#firstPet = room + playerCount + mounts;
    this.#players = Uint32Array.from({ length: playerCount }, (_, i) => room + i);
    this.#beside = Math.fround(Math.min(BESIDE * range, bounds.maxX / 4));
    this.#inner = {
      minX: bounds.minX + this.#beside,
      minY: bounds.minY + this.#beside,
      maxX: bounds.maxX - this.#beside,
      maxY: bounds.maxY - this.#beside,
    };
    this.#offsets = [{}, { x: this.#beside }];
    this.#pace = speed * tickSeconds;
    this.#stray = Math.min(STRAY * range, bounds.maxX);
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.#homeX = new Float32Array(entities);
    this.#homeY = new Float32Array(entities);
    this.#goalX = new Float32Array(entities);
    this.#goalY = new Float32Array(entities);
    this.#ticksLeft = new Uint32Array(entities);
    this.#channel = new Uint8Array(entities).fill(OPEN_WORLD);
    this.#cloaked = new Uint8Array(entities);
    this.#owner = new Uint32Array(entities);
    this.#inits = KINDS.map((kind) => channels().map((channel) => initOf(kind, channel, range)));
    this.#patches = channels().map((channel) => [
      { channel, gain: 1 },
      { channel, gain: CLOAKED_GAIN },
    ]);
    scatter(random, this.x, this.y, this.#inner);
    setOff(random, this.#stepX, this.#stepY, this.#pace);
    this.range.fill(range, this.#firstPlayer, this.#firstMount);
    this.#populate();
  }

  override initFor(actor: number): EntityPatch {
    const kind = this.kind[actor]!;
    const init = this.#inits[kind]![this.#channel[actor]!]!;
    if (kind === LOOT) return { ...init, group: { owner: this.#owner[actor]! + 1 } };
    if (kind !== PLAYER) return init;
    const player = actor - this.#firstPlayer;
    return { ...init, group: { party: 1 + Math.floor(player / PARTY_SIZE), owner: player + 1 } };
  }

  patchFor(actor: number): EntityPatch {
    return this.#patches[this.#channel[actor]!]![this.#cloaked[actor]!]!;
  }

  parentOf(actor: number): number {
    if (actor < this.#firstMount) return -1;
    const every = actor < this.#firstPet ? MOUNT_EVERY : PET_EVERY;
    const first = actor < this.#firstPet ? this.#firstMount : this.#firstPet;
    return this.#firstPlayer + (actor - first) * every;
  }

  offsetOf(actor: number): AttachmentOffset {
    return this.#offsets[actor < this.#firstPet ? 0 : 1];
  }

  protected override begin(): void {
    for (let actor = 0; actor < this.capacity; actor++) {
      if (actor < this.#firstMount || actor >= this.#firstPet) this.appear(actor);
    }
  }

  protected override advance(): void {
    const { minX, maxX, minY, maxY } = this.#inner;
    const players = this.#players;
    for (let actor = this.#firstNpc; actor < this.#firstPlayer; actor++) this.#stroll(actor);
    walkAxisOf(players, players.length, this.x, this.#stepX, minX, maxX);
    walkAxisOf(players, players.length, this.y, this.#stepY, minY, maxY);
    for (const player of players) {
      this.moved.push(player);
      this.#ticksLeft[player]!--;
      if (this.#ticksLeft[player] === 0) this.#act(player);
    }
    for (let actor = this.#firstMount; actor < this.capacity; actor++) this.#follow(actor);
  }

  #populate(): void {
    for (let actor = 0; actor < this.#firstNpc; actor++) {
      this.kind[actor] = actor % LOOT_EVERY === 1 ? LOOT : actor % CHEST_EVERY === 0 ? CHEST : TREE;
      if (this.kind[actor] === LOOT)
        this.#owner[actor] = this.#random.below(Math.max(1, this.#players.length));
    }
    for (let actor = this.#firstNpc; actor < this.#firstPlayer; actor++) this.#settle(actor);
    for (const player of this.#players) {
      this.kind[player] = PLAYER;
      this.#ticksLeft[player] = this.#spell();
    }
    this.kind.fill(MOUNT, this.#firstMount, this.#firstPet).fill(PET, this.#firstPet);
    for (let actor = this.#firstMount; actor < this.capacity; actor++) this.#place(actor);
  }

  #settle(actor: number): void {
    const npc = actor - this.#firstNpc;
    this.kind[actor] = npc % BOSS_EVERY === BOSS_EVERY - 1 ? NPC_KINDS - 1 : npc % (NPC_KINDS - 1);
    if (npc % DWELLER_EVERY === 3) {
      this.#channel[actor] = OPEN_WORLD + 1 + this.#random.below(DUNGEONS);
      this.#toDoor(actor, this.#channel[actor]!);
    }
    this.#homeX[actor] = this.x[actor]!;
    this.#homeY[actor] = this.y[actor]!;
    this.#goalX[actor] = this.x[actor]!;
    this.#goalY[actor] = this.y[actor]!;
    this.#ticksLeft[actor] = this.#standing();
  }

  /** People and beasts: stands, or walks to where it stands next. */
  #stroll(actor: number): void {
    if (this.#ticksLeft[actor]! > 0) {
      this.#ticksLeft[actor]!--;
      if (this.#ticksLeft[actor] === 0 && this.#pace > 0) this.#chooseGoal(actor);
      return;
    }
    this.moved.push(actor);
    const isThere = walkTowards(
      this.x,
      this.y,
      actor,
      this.#goalX[actor]!,
      this.#goalY[actor]!,
      this.#pace / 2,
    );
    if (isThere) this.#ticksLeft[actor] = this.#standing();
  }

  #chooseGoal(actor: number): void {
    const { minX, maxX, minY, maxY } = this.#inner;
    this.#random.inDiscInto(this.#inDisc);
    const [x, y] = [this.#homeX[actor]!, this.#homeY[actor]!];
    this.#goalX[actor] = Math.min(maxX, Math.max(minX, x + this.#inDisc[0]! * this.#stray));
    this.#goalY[actor] = Math.min(maxY, Math.max(minY, y + this.#inDisc[1]! * this.#stray));
  }

  /** One of a player's occasional actions. */
  #act(player: number): void {
    this.#ticksLeft[player] = this.#spell();
    const chance = this.#random.unit();
    const mount = this.#mountOf(player);
    if (this.#channel[player] !== OPEN_WORLD) this.#go(player, OPEN_WORLD);
    else if (chance < 0.4 && mount >= 0) this.#toggleMount(mount);
    else if (chance < 0.7 && (player - this.#firstPlayer) % ROGUE_EVERY === 0) {
      this.#cloaked[player]! ^= 1;
      this.changed.push(player);
    } else if (chance > 0.8 && this.#pace > 0) {
      if (mount >= 0 && this.present[mount] === 1) this.vanish(mount);
      const dungeon = OPEN_WORLD + 1 + this.#random.below(DUNGEONS);
      this.#go(player, dungeon);
      this.#toDoor(player, dungeon);
    }
  }

  #go(player: number, channel: number): void {
    this.#channel[player] = channel;
    this.changed.push(player);
    const number = player - this.#firstPlayer;
    const pet = this.#firstPet + Math.floor(number / PET_EVERY);
    if (number % PET_EVERY !== 0 || pet >= this.capacity) return;
    this.#channel[pet] = channel;
    this.changed.push(pet);
  }

  /** Moves it near the door of a dungeon: the doors lie on a diagonal. */
  #toDoor(actor: number, channel: number): void {
    const { minX, maxX, minY, maxY } = this.#inner;
    const part = (channel - OPEN_WORLD) / (DUNGEONS + 1);
    this.#random.inDiscInto(this.#inDisc);
    const at = (min: number, max: number, turn: number) =>
      Math.min(max, Math.max(min, min + part * (max - min) + turn * this.#stray));
    this.x[actor] = at(minX, maxX, this.#inDisc[0]!);
    this.y[actor] = at(minY, maxY, this.#inDisc[1]!);
  }

  /** -1: it has none. */
  #mountOf(player: number): number {
    const number = player - this.#firstPlayer;
    const mount = this.#firstMount + Math.floor(number / MOUNT_EVERY);
    return number % MOUNT_EVERY === 0 && mount < this.#firstPet ? mount : -1;
  }

  #toggleMount(mount: number): void {
    if (this.present[mount] === 1) this.vanish(mount);
    else this.appear(mount);
  }

  /** Attached actors are where their player is, or beside it. Absent ones too: they will appear there. */
  #follow(actor: number): void {
    const isNew = this.added.count > 0 && this.#isAdded(actor);
    if (this.present[actor] === 0) return;
    this.#place(actor);
    if (!isNew) this.moved.push(actor);
  }

  #isAdded(actor: number): boolean {
    for (let i = 0; i < this.added.count; i++) if (this.added.indices[i] === actor) return true;
    return false;
  }

  #place(actor: number): void {
    const player = this.parentOf(actor);
    this.x[actor] = this.x[player]! + (actor < this.#firstPet ? 0 : this.#beside);
    this.y[actor] = this.y[player]!;
  }

  #spell(): number {
    return Math.max(1, Math.round((DEED_SECONDS / this.tickSeconds) * this.#random.between(0.5, 1.5)));
  }

  #standing(): number {
    return Math.max(1, Math.round((STAND_SECONDS / this.tickSeconds) * this.#random.unit()));
  }
}

function given(
  subject: string,
  name: string,
  value: number | undefined,
  rule: { readonly default: number; readonly min: number; readonly max: number; readonly whole: boolean },
): number {
  return value === undefined ? rule.default : checkNumber(subject, name, value, rule);
}

/** Index 0 is unused. */
function channels(): number[] {
  return Array.from({ length: OPEN_WORLD + DUNGEONS + 1 }, (_, channel) => channel);
}

function initOf(kind: Kind, channel: number, range: number): EntityPatch {
  const { gain, most, least } = SEEN[kind];
  return {
    channel,
    ...(gain === undefined ? {} : { gain }),
    ...(most === undefined ? {} : { maxReach: most * range }),
    ...(least === undefined ? {} : { minReach: least * range }),
    ...(kind === 'loot' ? { onlyGroup: ['owner'] } : {}),
  };
}

/** Players, people, beasts and things, with parties, mounts, pets, stealth, owned loot and dungeons. Throws `BAD_OPTION`. */
export function createMmo(options: MmoOptions = {}): Simulation {
  return new Mmo(options);
}
