/**
 * What each player may be told, worked out from the world and from what the game decided, and from nothing that a gateway keeps.
 *
 * Every value of a field and every message is a secret that says whose it is: `<world:entity:field:version>`. A secret that reaches a
 * player for whom it is not is a leak; so is an entity that its body does not relate to.
 */
import type { EntityId, World } from 'umwelt';
import type { AppearanceOptions } from '../../src/index.ts';
import { Surroundings } from '../band-model.ts';
import { parseFrame } from './frame-parser.ts';
import { Past } from './past.ts';

export const SENSES = ['sight', 'smell'];
export const MARGIN = 3;
const BANDS = [
  { name: 'near', distance: 5 },
  { name: 'far', distance: 12 },
];
const POSITION_STEP = 0.5;
const TEXT = { type: 'string', max: 40 } as const;

export const APPEARANCE: AppearanceOptions = {
  positionStep: POSITION_STEP,
  bands: { near: 5, far: { distance: 12, everyTicks: 4 } },
  fields: {
    name: TEXT,
    mood: { ...TEXT, audience: 'near' },
    tale: { ...TEXT, audience: 'far' },
    trail: { ...TEXT, sense: 'smell' },
    face: { ...TEXT, audience: 'far', sense: 'sight' },
    purse: { ...TEXT, audience: 'owner' },
  },
};
export const FIELDS = Object.keys(APPEARANCE.fields ?? {});

/** Whom the game lets a player be; 0 for nobody. */
export interface Part {
  watcher: EntityId;
  own: EntityId;
}

interface Rumour {
  readonly marker: EntityId;
  readonly sense: number;
  /** Players who may be told, as of the tick that it was said in. */
  readonly ears: Set<number>;
}

export interface CanaryCounts {
  frames: number;
  entities: number;
  secrets: number;
  messages: number;
  /** Fields that were not for the player, of entities that were. */
  withheld: number;
}

export class CanaryModel {
  readonly counts: CanaryCounts = { frames: 0, entities: 0, secrets: 0, messages: 0, withheld: 0 };
  world: World;
  worldNumber = 1;
  past: Past;
  readonly parts: Part[];
  readonly #surroundings: Surroundings[];
  readonly #versions = new Map<string, number>();
  readonly #rumours = new Map<string, Rumour>();
  /** Not delivered yet. */
  readonly #said: { readonly name: string; readonly place?: { readonly x: number; readonly y: number } }[] =
    [];
  #number = 0;

  constructor(world: World, players: number) {
    this.world = world;
    this.past = new Past(players);
    this.parts = Array.from({ length: players }, () => ({ watcher: 0, own: 0 }));
    this.#surroundings = Array.from({ length: players }, () => new Surroundings());
  }

  /** All that was known is of no more use. */
  enterWorld(world: World): void {
    this.world = world;
    this.worldNumber++;
    this.past = new Past(this.parts.length, this.past.counts);
    this.#versions.clear();
    this.#rumours.clear();
    this.#said.length = 0;
    for (const part of this.parts) Object.assign(part, { watcher: 0, own: 0 });
    for (let player = 0; player < this.parts.length; player++)
      this.#surroundings[player] = new Surroundings();
  }

  /** A new value for a field of an entity. */
  secret(id: EntityId, field: string): string {
    const key = `${id}:${field}`;
    const version = (this.#versions.get(key) ?? 0) + 1;
    this.#versions.set(key, version);
    return `<${this.worldNumber}:${key}:${version}>`;
  }

  /** Bytes for a message from a marker, heard by `sense`, -1 for any. */
  say(marker: EntityId, sense: number): Uint8Array {
    const name = `<${this.worldNumber}:said:${++this.#number}>`;
    this.#rumours.set(name, { marker, sense, ears: new Set() });
    this.#said.push({ name });
    return Buffer.from(name, 'latin1');
  }

  sayAt(x: number, y: number): Uint8Array {
    const name = `<${this.worldNumber}:said:${++this.#number}>`;
    this.#rumours.set(name, { marker: 0, sense: -1, ears: new Set() });
    this.#said.push({ name, place: { x, y } });
    return Buffer.from(name, 'latin1');
  }

  /** After a tick, before its frames: who hears what was said. */
  spread(rangeOf: (watcher: EntityId) => readonly number[]): void {
    for (const { name, place } of this.#said) {
      const { marker, sense, ears } = this.#rumours.get(name)!;
      for (const [player, part] of this.parts.entries()) {
        const isHeard =
          place === undefined ? this.#hears(part, marker, sense) : this.#isNear(part, place, rangeOf);
        if (isHeard) ears.add(player);
      }
    }
    this.#said.length = 0;
    const parts = this.parts.map((part) => {
      const before = JSON.stringify(part);
      if (!this.world.has(part.watcher)) part.watcher = 0;
      if (!this.world.has(part.own)) part.own = 0;
      return { before, after: JSON.stringify(part) };
    });
    this.past.note(
      this.world,
      parts,
      this.parts.map((part) => this.shownTo(part)),
    );
  }

  /** A player is sent a frame. Throws at a leak. */
  check(player: number, bytes: Uint8Array): void {
    const part = this.parts[player]!;
    const shown = this.shownTo(part);
    const surroundings = this.#surroundings[player]!;
    surroundings.look(this.world, part, shown, BANDS, POSITION_STEP);
    const bySlot = new Map([...shown].map((id) => [id >>> 10, id]));
    const frame = parseFrame(bytes);
    const leak = (what: string): Error =>
      new Error(`player ${player}, whose part is ${JSON.stringify(part)}, ${what}`);
    const known = (slot: number): EntityId => {
      const id = bySlot.get(slot);
      if (id === undefined) throw leak(`is told of slot ${slot}, where nobody is that it relates to`);
      this.counts.entities++;
      return id;
    };
    if (frame.own !== undefined && frame.own !== part.own) throw leak(`is told that it is ${frame.own}`);
    const secrets: string[] = [];
    for (const { id, senses, fields } of frame.entered) {
      if (known(id >>> 10) !== id) throw leak(`is told of ${id}, who is not there`);
      if ((senses & ~this.#sensesOf(part, id)) !== 0)
        throw leak(`is told that it perceives ${id} by ${senses}`);
      secrets.push(...this.#checkFields(part, surroundings, id, fields, leak));
      // Who enters is told whole: what is not there is not for the player.
      this.counts.withheld += FIELDS.length - fields.size;
    }
    for (const { slot, fields } of frame.updated) {
      secrets.push(...this.#checkFields(part, surroundings, known(slot), fields, leak));
    }
    frame.sensed.forEach(known);
    for (const { slot, text } of frame.messages) {
      const rumour = this.#rumours.get(text);
      if (rumour?.marker !== known(slot) || !rumour.ears.has(player)) throw leak(`hears ${text}`);
      secrets.push(text);
    }
    for (const { slot, parentSlot } of frame.attached) {
      if (this.world.parentOf(known(slot)) !== known(parentSlot))
        throw leak(`is told that slot ${parentSlot} carries slot ${slot}`);
    }
    for (const text of frame.placed) {
      const rumour = this.#rumours.get(text);
      if (rumour?.marker !== 0 || !rumour.ears.has(player)) throw leak(`hears ${text} from a place`);
      secrets.push(text);
    }
    this.counts.messages += frame.messages.length + frame.placed.length;
    // Whatever else is in the bytes, no secret is.
    const all =
      Buffer.from(bytes)
        .toString('latin1')
        .match(/<\d+:\w+:\w+(:\d+)?>/g) ?? [];
    if (all.join() !== [...all].filter((text) => secrets.includes(text)).join()) {
      throw leak(`is sent ${all.filter((text) => !secrets.includes(text))}, by no rule of the format`);
    }
    this.counts.frames++;
  }

  /** Ids that a player may be shown now. */
  shownTo({ watcher, own }: Part): Set<EntityId> {
    const shown = new Set(this.world.has(watcher) ? this.world.visibleTo(watcher) : []);
    if (this.world.has(own)) shown.add(own);
    return shown;
  }

  /** Names of the fields of an entity that a player may be told, as of its last frame. */
  fieldsFor(player: number, id: EntityId): string[] {
    const part = this.parts[player]!;
    return FIELDS.filter((field) => this.#maySee(part, this.#surroundings[player]!, id, field));
  }

  #checkFields(
    part: Part,
    surroundings: Surroundings,
    id: EntityId,
    fields: ReadonlyMap<number, string>,
    leak: (what: string) => Error,
  ): string[] {
    for (const [number, text] of fields) {
      const field = FIELDS[number]!;
      if (!this.#maySee(part, surroundings, id, field)) throw leak(`is told ${field} of ${id}: ${text}`);
      if (text === '') continue;
      const [world, whose, what, version] = text.slice(1, -1).split(':');
      const isIts = world === `${this.worldNumber}` && whose === `${id}` && what === field;
      if (!isIts) throw leak(`is told of ${id} as its ${field}: ${text}`);
      if (Number(version) > (this.#versions.get(`${id}:${field}`) ?? 0))
        throw leak(`is told ${text} too early`);
      this.counts.secrets++;
    }
    return [...fields.values()];
  }

  #maySee(part: Part, surroundings: Surroundings, id: EntityId, field: string): boolean {
    if (part.own === id) return true;
    const { audience = 'all', sense } = APPEARANCE.fields![field]!;
    if (sense !== undefined && (this.#sensesOf(part, id) & (1 << SENSES.indexOf(sense))) === 0) return false;
    return audience === 'all' || (audience !== 'owner' && surroundings.isInside(id, audience));
  }

  #sensesOf({ watcher }: Part, id: EntityId): number {
    return watcher !== 0 && watcher !== id && this.world.has(id) ? this.world.senses(watcher, id) : 0;
  }

  #hears(part: Part, marker: EntityId, sense: number): boolean {
    if (!this.world.has(marker)) return false;
    if (part.own === marker) return true;
    if (!this.world.has(part.watcher) || !this.shownTo(part).has(marker)) return false;
    return sense < 0 || (this.#sensesOf(part, marker) & (1 << sense)) !== 0;
  }

  #isNear(
    { watcher }: Part,
    { x, y }: { readonly x: number; readonly y: number },
    rangeOf: (watcher: EntityId) => readonly number[],
  ): boolean {
    if (!this.world.has(watcher)) return false;
    const [atX = 0, atY = 0] = this.world.position(watcher);
    return rangeOf(watcher).some((range) => range > 0 && (x - atX) ** 2 + (y - atY) ** 2 <= range ** 2);
  }
}
