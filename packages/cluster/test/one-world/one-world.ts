/**
 * One world that is told what nodes of a cluster call, and in the plainest form what a cluster adds to it: owners, showers, keys,
 * fields, kept state, messages. Nodes must report the same.
 */
import {
  type Changes,
  type ChannelOptions,
  Channels,
  type EntityId,
  UmweltError,
  World,
  type WorldOptions,
  type WorldReader,
} from 'umwelt';
import type { Fields, NodeEntities, NodeEntity } from '../../src/index.ts';
import { adopterOf } from '../simulation/authority-model.ts';

export const KEYS = ['a', 'b', 'c'] as const;

/** A member by its incarnation. */
export interface Joined {
  readonly incarnation: number;
  readonly name: string;
  readonly adopts: boolean;
}

/** What can be asked about a world: of a node, or of one world. */
export interface Answers {
  readonly world: WorldReader;
  /** Incarnations; `undefined` for nobody. */
  ownerOf(id: EntityId): number | undefined;
  showerOf(id: EntityId): number | undefined;
  channelOf(id: EntityId): number;
  readonly channelCount: number;
  find(key: string): EntityId | undefined;
  fieldsOf(id: EntityId): Fields;
  stateOf(id: EntityId): Uint8Array;
  /** Whether it has the watcher's view. */
  shows(watcher: EntityId): boolean;
}

/** All that is so after a tick, and all that was reported at it. */
export function standing(answers: Answers, changes: Changes): string[] {
  const { world } = answers;
  const lines = [`state ${world.stateHash()}`, `channels ${answers.channelCount}`];
  for (const key of KEYS) lines.push(`key ${key} ${answers.find(key)}`);
  for (const id of world.ids()) {
    const facts = [answers.ownerOf(id), answers.showerOf(id), answers.channelOf(id)];
    lines.push(`${id}: ${facts} ${JSON.stringify(answers.fieldsOf(id))} ${answers.stateOf(id)}`);
    lines.push(`${id} is seen by ${world.watchersOf(id).filter((watcher) => answers.shows(watcher))}`);
    if (!answers.shows(id)) continue;
    const seen = [...world.visibleTo(id)].map((marker) => `${marker}:${world.senses(id, marker)}`);
    lines.push(`${id} sees ${seen}`);
  }
  for (const { watcher, entered, left, updated, sensed } of changes) {
    if (answers.shows(watcher))
      lines.push(`${watcher}: entered ${entered}, left ${left}, updated ${updated}, sensed ${sensed}`);
  }
  return lines;
}

/** All that was reported at a tick, by a world in which every watcher perceives. */
export function whole(changes: Changes): string[] {
  return [changes.hash(), `watched ${changes.watched}, unwatched ${changes.unwatched}`];
}

/** `to`: the only one who hears it. */
interface Said {
  readonly to?: number;
  readonly text: string;
}

export class OneWorld {
  readonly world: World;
  readonly #channels: Channels | undefined;
  readonly #seesAll: boolean;
  #live: Joined[] = [];
  /** Incarnations. */
  readonly #owners = new Map<EntityId, number>();
  readonly #showers = new Map<EntityId, number>();
  /** Whose show or hide came since the last mark. */
  readonly #asked = new Map<EntityId, number | undefined>();
  #resting: EntityId[] = [];
  readonly #awake = new Set<EntityId>();
  readonly #keys = new Map<string, EntityId>();
  readonly #fields = new Map<EntityId, Fields>();
  readonly #states = new Map<EntityId, Uint8Array>();
  /** Since the last mark. */
  #said: Said[] = [];
  /** Before it. */
  #heard: readonly Said[] = [];

  constructor(options: WorldOptions, channels: ChannelOptions | undefined, views: 'own' | 'all') {
    this.world = new World(options);
    this.#channels = channels && new Channels(this.world, channels);
    this.#seesAll = views === 'all';
  }

  /** Makes the call unless the world refuses it. */
  tell(call: (one: OneWorld) => unknown): void {
    try {
      call(this);
    } catch (error) {
      if (!(error instanceof UmweltError)) throw error;
    }
  }

  isLive(incarnation: number): boolean {
    return this.#live.some((member) => member.incarnation === incarnation);
  }

  join(member: Joined): void {
    this.#live = [...this.#live.filter(({ name }) => name !== member.name), member];
  }

  end(incarnation: number): void {
    this.#live = this.#live.filter((member) => member.incarnation !== incarnation);
  }

  add(by: number, { key, state, fields = {}, ...entity }: NodeEntity): void {
    if (key !== undefined && this.find(key) !== undefined) return;
    const id = this.world.add({ ...entity, watches: false });
    this.#owners.set(id, by);
    if (key !== undefined) this.#keys.set(key, id);
    if (state !== undefined) this.#states.set(id, state);
    if (Object.keys(fields).length > 0) this.#setFields(id, fields);
  }

  addMany(by: number, entities: NodeEntities): void {
    for (const id of this.world.addMany({ ...entities, watches: false })) this.#owners.set(id, by);
  }

  joinChannel(id: EntityId): void {
    this.#channels?.join(id);
  }

  leaveChannel(id: EntityId): void {
    this.#channels?.leave(id);
  }

  set(id: EntityId, fields: Fields): void {
    this.world.touch(id);
    this.#setFields(id, fields);
  }

  #setFields(id: EntityId, fields: Fields): void {
    this.#fields.set(id, { ...this.fieldsOf(id), ...fields });
    this.#said.push({ text: `fields ${id} ${JSON.stringify(fields)}` });
  }

  keep(id: EntityId, state: Uint8Array): void {
    this.#states.set(id, state);
  }

  give(by: number, id: EntityId, to: number): void {
    if (this.world.has(id) && this.#owners.get(id) === by && this.isLive(to)) this.#owners.set(id, to);
  }

  /** As a node that leaves: to those who are members for it. */
  giveAll(by: number, ids: readonly EntityId[], members: readonly Joined[]): void {
    for (const id of ids) {
      const adopter = adopterOf(id, members);
      if (adopter !== undefined) this.give(by, id, adopter.incarnation);
    }
  }

  send(by: number, id: EntityId, bytes: Uint8Array): void {
    const to = this.#owners.get(id);
    if (this.world.has(id) && to !== undefined)
      this.#said.push({ to, text: `message ${id} ${bytes} of ${by}` });
  }

  broadcast(marker: EntityId, bytes: Uint8Array, sense: string): void {
    if (this.world.has(marker)) this.#said.push({ text: `broadcast ${marker} ${bytes} by ${sense}` });
  }

  show(by: number, id: EntityId, isShown: boolean): void {
    if (!this.world.has(id)) return;
    const shower = this.#asked.has(id) ? this.#asked.get(id) : this.#showers.get(id);
    if ((shower === by) !== isShown) this.#asked.set(id, isShown ? by : undefined);
  }

  /** Ticks. */
  mark(): Changes {
    for (const id of this.#resting) this.#watch(id, true);
    this.#resting = [];
    const adopters = this.#live.filter(({ adopts }) => adopts);
    for (const [id, owner] of this.#owners) {
      if (this.isLive(owner)) continue;
      this.#owners.set(id, adopterOf(id, adopters)?.incarnation ?? 0);
    }
    for (const [id, shower] of this.#showers)
      if (!this.isLive(shower) && !this.#asked.has(id)) this.#asked.set(id, undefined);
    for (const [id, asked] of this.#asked) this.#setShower(id, asked);
    this.#asked.clear();
    this.#heard = this.#said;
    this.#said = [];
    this.#channels?.balance();
    return this.world.tick();
  }

  #setShower(id: EntityId, asked: number | undefined): void {
    if (!this.world.has(id)) return;
    this.#watch(id, false);
    if (asked === undefined || !this.isLive(asked)) this.#showers.delete(id);
    else {
      this.#showers.set(id, asked);
      this.#resting.push(id);
    }
  }

  #watch(id: EntityId, watches: boolean): void {
    if (!this.world.has(id)) return;
    this.world.update(id, { watches });
    if (watches) this.#awake.add(id);
    else this.#awake.delete(id);
  }

  find(key: string): EntityId | undefined {
    const id = this.#keys.get(key);
    return id !== undefined && this.world.has(id) ? id : undefined;
  }

  fieldsOf(id: EntityId): Fields {
    return this.#fields.get(id) ?? {};
  }

  /** What that member heard before the last mark, since the one before. */
  heardBy(incarnation: number): string[] {
    return this.#heard.filter(({ to }) => to === undefined || to === incarnation).map(({ text }) => text);
  }

  /** What that member must answer. */
  answersOf(incarnation: number): Answers {
    return {
      world: this.world,
      ownerOf: (id) => this.#owners.get(id) || undefined,
      showerOf: (id) => this.#showers.get(id),
      channelOf: (id) => this.#channels?.channelOf(id) ?? 0,
      channelCount: this.#channels?.channelCount ?? 0,
      find: (key) => this.find(key),
      fieldsOf: (id) => this.fieldsOf(id),
      stateOf: (id) => this.#states.get(id) ?? new Uint8Array(0),
      shows: (id) => this.#awake.has(id) && (this.#seesAll || this.#showers.get(id) === incarnation),
    };
  }
}
