/**
 * What clients of a cluster ought to hold: one world that applies the log with every shown watcher awake, and of each tick
 * what each watcher perceives, where, and with which fields. Frames say their tick, so each is held to that one.
 *
 * A frame may come before the twin has its tick: what is in a mirror is then put by as a word, and compared later.
 */
import type { UmweltClient } from '@umwelt/client';
import type { EntityId } from 'umwelt';
import { mixed } from '../../src/state/mixed.ts';
import { Replica } from '../../src/state/replica.ts';
import { keyOf, POSITION_STEP, WORLD } from './hosted-node.ts';

/** Ticks that are kept for frames that come late. */
const KEPT_TICKS = 4096;

interface Claim {
  readonly credential: string;
  readonly tick: number;
  readonly word: number;
  readonly text: () => string;
}

export class ClientTwin {
  /** Frames that were compared. */
  compared = 0;
  /** Of the entities in them, all together. */
  entities = 0;
  problem: string | undefined;
  isStopped = false;
  readonly replica: Replica;
  /** Every so many ticks are compared. */
  readonly #every: number;
  /** By tick and watcher. */
  readonly #words = new Map<number, Map<EntityId, { word: number; count: number }>>();
  #claims: Claim[] = [];

  constructor(every = 1) {
    this.#every = every;
    this.replica = new Replica({ world: WORLD, views: 'all', events: { tick: () => this.#note() } });
  }

  apply(position: number, bytes: Uint8Array): void {
    if (this.isStopped) return;
    this.replica.apply(position, bytes);
  }

  /** Holds all that the client is told from now on to what its hero perceives. */
  watch(client: UmweltClient, credential: string): void {
    client.on('frame', (tick) => {
      if (this.isStopped || tick % this.#every !== 0) return;
      const word = wordOfClient(client);
      this.#compare({ credential, tick, word, text: () => textOf(client) });
    });
  }

  /** `undefined` before it was added. */
  heroOf(credential: string): EntityId | undefined {
    return this.replica.table.keys.get(keyOf(credential));
  }

  /** How many heroes there are, by what they are and not by their keys: wolves have names. */
  get heroes(): number {
    const { ids, fields } = this.replica.table;
    return ids.reduce((sum, id) => sum + (id !== 0 && !fields.get(id)?.has('name') ? 1 : 0), 0);
  }

  /** The log lost its end: what clients were shown of it has no twin here any more, and nothing is compared from now on. */
  stop(): void {
    this.isStopped = true;
    this.#claims = [];
  }

  /** Claims that wait for their ticks. */
  get waiting(): number {
    return this.#claims.length;
  }

  #note(): void {
    const { tick, table, world } = this.replica;
    if (tick % this.#every === 0) {
      const words = new Map<EntityId, { word: number; count: number }>();
      for (let slot = 0; slot < table.ids.length; slot++) {
        const id = table.ids[slot]!;
        if (id === 0 || table.awake[slot] !== 1) continue;
        const seen = [...world.visibleTo(id), id];
        words.set(id, { word: this.#wordOf(seen), count: seen.length });
      }
      this.#words.set(tick, words);
      this.#words.delete(tick - KEPT_TICKS);
    }
    const due = this.#claims.filter((claim) => claim.tick <= tick);
    if (due.length === 0) return;
    this.#claims = this.#claims.filter((claim) => claim.tick > tick);
    for (const claim of due) this.#compare(claim);
  }

  #compare(claim: Claim): void {
    if (claim.tick > this.replica.tick) {
      this.#claims.push(claim);
      return;
    }
    const hero = this.heroOf(claim.credential);
    const expected = hero === undefined ? undefined : this.#words.get(claim.tick)?.get(hero);
    this.compared++;
    this.entities += expected?.count ?? 0;
    if (expected?.word === claim.word || this.problem !== undefined) return;
    this.problem =
      `client ${claim.credential} (${hero}) holds something else at tick ${claim.tick} than the twin, ` +
      `whose word is ${expected?.word}: ${claim.text()}`;
  }

  #wordOf(ids: readonly EntityId[]): number {
    const { world, table } = this.replica;
    let sum = 0;
    for (const id of ids) {
      const [x = 0, y = 0] = world.position(id);
      const fields = table.fields.get(id);
      const steps = [x, y].map((value) => Math.floor(value / POSITION_STEP + 0.5)) as [number, number];
      sum = (sum + wordOfEntity(id, steps, fields?.get('name') ?? '', fields?.get('health') ?? 0)) >>> 0;
    }
    return sum;
  }
}

function wordOfClient(client: UmweltClient): number {
  let sum = 0;
  for (const { id, steps, fields } of client.entities.values()) {
    sum = (sum + wordOfEntity(id, steps, fields.name ?? '', fields.health ?? 0)) >>> 0;
  }
  return sum;
}

function wordOfEntity(id: EntityId, steps: readonly number[], name: unknown, health: unknown): number {
  let word = mixed(id);
  for (const value of [steps[0]!, steps[1]!, Number(health)]) word = mixed(word ^ mixed(value + 0x9e3779b1));
  for (const letter of String(name)) word = mixed(word ^ letter.codePointAt(0)!);
  return word;
}

function textOf(client: UmweltClient): string {
  return [...client.entities.values()]
    .sort((one, other) => one.id - other.id)
    .map(({ id, x, y, fields }) => `${id} at ${x} ${y} ${JSON.stringify(fields)}`)
    .join('; ');
}
