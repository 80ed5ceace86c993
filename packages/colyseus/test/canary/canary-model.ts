/**
 * What each player may know, worked out from the plain definition and nothing of the engine: all entities by place, ranges in two
 * senses, who is cloaked; who perceives whom is tested pair by pair, in whole numbers.
 *
 * Every text that an entity has names the entity and the field: a canary. Bytes to a player are searched for canaries, so a leak is
 * found on the wire, whether the player's end would show it or not.
 */
import type { EntityId } from 'umwelt';

export const NEAR_DISTANCE = 7.5;
export const SIGHT = 1;
export const SMELL = 2;

/** Whole numbers all, so that squares are exact. */
export interface Being {
  x: number;
  y: number;
  sight: number;
  smell: number;
  isCloaked: boolean;
  version: number;
}

export type CanaryField = 'name' | 'note' | 'near' | 'owner' | 'scent' | 'message';

const CANARY = /<(\d+):(\w+):\d+>/g;

export function canary(id: EntityId, field: CanaryField, version: number): string {
  return `<${id}:${field}:${version}>`;
}

interface Message {
  readonly text: string;
  readonly id: EntityId;
  /** It is for those related by one of these. */
  readonly sense: number;
}

const HEARD_MOST = 400;

/** What one session may know, as of the last tick that was published. */
interface Knowledge {
  readonly body: EntityId;
  /** Senses by entity. */
  readonly related: ReadonlyMap<EntityId, number>;
  readonly near: ReadonlySet<EntityId>;
}

export class CanaryModel {
  readonly beings = new Map<EntityId, Being>();
  /** By session id: the entity it perceives by; none for one without a body. */
  readonly bodies = new Map<string, EntityId>();
  /** By session id: what the game itself shows it. */
  readonly shown = new Map<string, Set<EntityId>>();
  readonly #known = new Map<string, Knowledge>();
  /** By session id: bodies that it was given since the last tick. */
  readonly #given = new Map<string, EntityId[]>();
  /** Messages since the last tick. */
  #said: Message[] = [];
  /** By session id: the newest messages that were for it. One that is behind is sent them later, whatever it relates to then. */
  readonly #heard = new Map<string, string[]>();

  /** To be called after a tick and before it is published. */
  learn(): void {
    this.#known.clear();
    for (const [sessionId, body] of this.bodies) {
      this.#known.set(sessionId, this.#knowledgeOf(body));
      const heard = this.#heard.get(sessionId) ?? [];
      this.#heard.set(sessionId, heard);
      for (const { text, id, sense } of this.#said) if (this.#hears(sessionId, id, sense)) heard.push(text);
      heard.splice(0, heard.length - HEARD_MOST);
    }
    this.#said = [];
    this.#given.clear();
  }

  /** The session perceives by this body from the next tick on, and knows the body at once. */
  embody(sessionId: string, body: EntityId): void {
    this.bodies.set(sessionId, body);
    this.#given.set(sessionId, [...(this.#given.get(sessionId) ?? []), body]);
  }

  say(text: string, id: EntityId, sense: number): void {
    this.#said.push({ text, id, sense });
  }

  forget(sessionId: string): void {
    this.bodies.delete(sessionId);
    this.shown.delete(sessionId);
    this.#heard.delete(sessionId);
  }

  /** What the session is to have, in order. */
  wanted(sessionId: string): EntityId[] {
    const { body, related } = this.#known.get(sessionId) ?? { body: 0, related: new Map() };
    const all = new Set<EntityId>([...related.keys(), ...(this.shown.get(sessionId) ?? [])]);
    if (body !== 0) all.add(body);
    return [...all].sort((one, other) => one - other);
  }

  /** The first thing in these bytes that the session may not know. */
  leakIn(sessionId: string, bytes: Uint8Array): string | undefined {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    for (const [found, id, field] of text.matchAll(CANARY)) {
      if (field === 'message' && this.#heard.get(sessionId)?.includes(found)) continue;
      if (!this.#mayKnow(sessionId, Number(id), field as CanaryField)) return found;
    }
    return undefined;
  }

  #mayKnow(sessionId: string, id: EntityId, field: CanaryField): boolean {
    if (this.#given.get(sessionId)?.includes(id)) return field !== 'message';
    const isShown = this.shown.get(sessionId)?.has(id) === true;
    const known = this.#known.get(sessionId);
    const senses = known?.related.get(id) ?? 0;
    const isOwn = known?.body === id;
    switch (field) {
      case 'name':
      case 'note':
        return isOwn || isShown || senses !== 0;
      case 'near':
        return isOwn || (senses !== 0 && known?.near.has(id) === true);
      case 'scent':
        return isOwn || (senses & SMELL) !== 0;
      case 'owner':
        return isOwn;
      case 'message':
        return false;
    }
  }

  #hears(sessionId: string, id: EntityId, sense: number): boolean {
    const { body, related } = this.#known.get(sessionId)!;
    return body === id || ((related.get(id) ?? 0) & sense) !== 0;
  }

  #knowledgeOf(body: EntityId): Knowledge {
    const related = new Map<EntityId, number>();
    const near = new Set<EntityId>();
    const self = this.beings.get(body);
    if (self === undefined) return { body: 0, related, near };
    for (const [id, being] of this.beings) {
      if (id === body || being.isCloaked) continue;
      const squared = (being.x - self.x) ** 2 + (being.y - self.y) ** 2;
      const seen = self.sight > 0 && squared <= self.sight ** 2 ? SIGHT : 0;
      const smelt = self.smell > 0 && squared <= self.smell ** 2 ? SMELL : 0;
      if (seen + smelt > 0) related.set(id, seen + smelt);
      if (squared <= NEAR_DISTANCE ** 2) near.add(id);
    }
    return { body, related, near };
  }
}
