/**
 * Who is a member, who owns what and where it is, by the rules in their plainest form: maps and no replica. It stands beside
 * the twin, since twin and nodes share their code, and a fault in that would show in neither.
 *
 * Of the twin it takes only which ids were given to what was added, and what the world itself refused.
 */
import { type ClusterRecord, isSameWord, type Word64 } from '../../src/records/record.ts';
import type { Replica } from '../../src/state/replica.ts';
import { weightOf } from '../../src/state/rules.ts';
import { SILENCE_TICKS } from './process.ts';

interface PlainMember {
  readonly number: number;
  readonly incarnation: number;
  readonly name: string;
  readonly nonce: Word64;
  readonly adopts: boolean;
  readonly newestFormat: number;
  seq: number;
  heard: number;
  isGone: boolean;
}

interface PlainEntity {
  owner: number;
  x: number;
  y: number;
  z: number;
  kept: Uint8Array;
  /** 0 for none; then the offset counts for nothing. */
  parent: number;
  readonly offset: Place;
}

interface Place {
  x: number;
  y: number;
  /** 0 in 2-D. */
  z: number;
}

const LINKS_MAX = 8;
const NOTHING = new Uint8Array(0);

export class AuthorityModel {
  /** Messages in records that counted, by nonce: how often. */
  readonly said = new Map<number, number>();
  /** Adds that counted, by the nonce in the state that came with them: how often. */
  readonly born = new Map<number, number>();
  /** From one owner to another. */
  gives = 0;
  #tick = 0;
  #lastIncarnation = 0;
  /** Of the records of members. */
  #format = 1;
  #members: PlainMember[] = [];
  #departed: { nonce: Word64; tick: number }[] = [];
  /** Owners are incarnations; 0 is nobody. */
  readonly #entities = new Map<number, PlainEntity>();
  readonly #keys = new Map<string, number>();
  readonly #gone: string[] = [];

  noteGone(incarnation: number, why: string): void {
    this.#gone.push(`${incarnation} ${why}`);
  }

  /** Applies a record; says where the twin, which just applied it, differs. */
  apply(
    position: number,
    record: ClusterRecord | undefined,
    added: readonly (number | string)[],
    twin: Replica,
  ): string | undefined {
    this.#gone.length = 0;
    const before = this.#tick;
    if (record !== undefined) this.#applyRecord(position, record, added);
    if (this.#tick !== twin.tick) return `tick ${twin.tick} was marked, expected ${this.#tick}`;
    return this.#tick === before ? undefined : this.#difference(twin);
  }

  #applyRecord(position: number, record: ClusterRecord, added: readonly (number | string)[]): void {
    this.#applyKind(position, record, added);
    const newest = this.#members.filter(({ isGone }) => !isGone).map(({ newestFormat }) => newestFormat);
    if (newest.length > 0) this.#format = Math.max(this.#format, Math.min(...newest));
  }

  #applyKind(position: number, record: ClusterRecord, added: readonly (number | string)[]): void {
    const member = this.#members.find(
      ({ number, incarnation, isGone }) =>
        number === record.member &&
        incarnation === record.incarnation &&
        !isGone &&
        record.format === this.#format,
    );
    switch (record.kind) {
      case 'hello':
        this.#hello(position, record.hello);
        break;
      case 'gone':
        for (const each of this.#members) {
          if (each.number === record.member && each.incarnation === record.incarnation) each.isGone = true;
        }
        break;
      case 'mark':
        if (member === undefined) break;
        member.heard = this.#tick;
        if (record.tick === this.#tick + 1) this.#mark();
        break;
      case 'bye':
      case 'calls':
        if (member === undefined || record.seq !== member.seq + 1) break;
        member.seq++;
        member.heard = this.#tick;
        if (record.kind === 'bye') member.isGone = true;
        else this.#calls(member, record.calls, added);
        break;
      case 'anew':
        break;
    }
  }

  #hello(position: number, hello: Extract<ClusterRecord, { kind: 'hello' }>['hello']): void {
    const [oldest, newest] = hello.formats;
    if (this.#lastIncarnation > 0 && (oldest > this.#format || newest < this.#format)) return;
    if (this.#lastIncarnation > 0 && this.#tick - hello.tick > SILENCE_TICKS) return;
    if ([...this.#members, ...this.#departed].some(({ nonce }) => isSameWord(nonce, hello.nonce))) return;
    for (const member of this.#members) if (member.name === hello.name) member.isGone = true;
    let number = 0;
    while (this.#members.some((member) => member.number === number)) number++;
    this.#lastIncarnation = Math.max(position, this.#lastIncarnation + 1);
    const { name, nonce, adopts } = hello;
    const incarnation = this.#lastIncarnation;
    this.#members.push({
      number,
      incarnation,
      name,
      nonce,
      adopts,
      newestFormat: newest,
      seq: 0,
      heard: this.#tick,
      isGone: false,
    });
  }

  #calls(
    { incarnation }: PlainMember,
    calls: Extract<ClusterRecord, { kind: 'calls' }>['calls'],
    added: readonly (number | string)[],
  ): void {
    const owned = (id: number) => {
      const entity = this.#entities.get(id);
      return entity?.owner === incarnation ? entity : undefined;
    };
    const { moves } = calls;
    const move = (id: number, x: number, y: number, z: number) => {
      const entity = owned(id);
      const isPlace = [x, y, z].every((part) => Math.abs(part) <= 1e12);
      if (entity?.parent === 0 && isPlace) Object.assign(entity, { x, y, z });
    };
    for (let i = 0; moves !== undefined && i < moves.ids.length; i++)
      move(moves.ids[i]!, moves.x[i]!, moves.y[i]!, moves.z?.[i] ?? 0);
    calls.adds?.forEach((add, i) => {
      const id = added[i];
      if (typeof id !== 'number') return;
      const [x, y, z] = [Math.fround(add.x), Math.fround(add.y), Math.fround(add.z)];
      const offset = { x: 0, y: 0, z: 0 };
      this.#entities.set(id, { owner: incarnation, x, y, z, kept: add.keep, parent: 0, offset });
      if (add.key !== '') this.#keys.set(add.key, id);
      countNonce(this.born, add.keep);
    });
    for (const id of calls.removes ?? []) if (owned(id) !== undefined) this.#remove(id);
    for (const call of calls.steps ?? []) {
      const { id } = call;
      const entity = owned(id);
      if (entity === undefined) continue;
      if (call.step === 'remove') this.#remove(id);
      else if (call.step !== 'attach') move(id, call.x, call.y, call.z);
      else if (call.parent === 0) this.#detach(id);
      else if (this.#mayAttach(id, call.parent)) {
        entity.parent = call.parent;
        const [x, y, z] = [Math.fround(call.x), Math.fround(call.y), Math.fround(call.z)];
        Object.assign(entity.offset, { x, y, z });
      }
    }
    for (const { id, bytes } of calls.keeps ?? []) {
      const entity = owned(id);
      if (entity !== undefined) entity.kept = bytes;
    }
    for (const { id, member, incarnation: to } of calls.gives ?? []) {
      const receiver = this.#members.find(
        (each) => each.number === member && each.incarnation === to && !each.isGone,
      );
      const entity = owned(id);
      if (receiver === undefined || entity === undefined) continue;
      if (entity.owner !== to) this.gives++;
      entity.owner = to;
    }
    for (const { bytes } of calls.sends ?? []) countNonce(this.said, bytes);
  }

  #remove(id: number): void {
    for (const [child, { parent }] of this.#entities) if (parent === id) this.#detach(child);
    this.#entities.delete(id);
  }

  /** It stays where it is now. */
  #detach(id: number): void {
    const entity = this.#entities.get(id);
    if (entity === undefined) return;
    Object.assign(entity, this.#placeOf(entity));
    entity.parent = 0;
  }

  /** No ring, and no chain of more than eight links. */
  #mayAttach(child: number, parent: number): boolean {
    if (!this.#entities.has(parent)) return false;
    let links = 1;
    for (let above = parent; above !== 0; above = this.#entities.get(above)?.parent ?? 0, links++) {
      if (above === child) return false;
    }
    return links - 1 + this.#linksBelow(child) <= LINKS_MAX;
  }

  #linksBelow(id: number): number {
    let links = 0;
    for (const [child, { parent }] of this.#entities) {
      if (parent === id) links = Math.max(links, 1 + this.#linksBelow(child));
    }
    return links;
  }

  #placeOf({ x, y, z, parent, offset }: PlainEntity): Place {
    const carrier = this.#entities.get(parent);
    if (carrier === undefined) return { x, y, z };
    const place = this.#placeOf(carrier);
    return {
      x: Math.fround(place.x + offset.x),
      y: Math.fround(place.y + offset.y),
      z: Math.fround(place.z + offset.z),
    };
  }

  #mark(): void {
    this.#tick++;
    for (const member of this.#members) {
      if (this.#tick - member.heard > SILENCE_TICKS) member.isGone = true;
    }
    const live = this.#members.filter(({ isGone }) => !isGone);
    const owners = new Set(live.map(({ incarnation }) => incarnation));
    const adopters = live.filter(({ adopts }) => adopts);
    for (const [id, entity] of this.#entities) {
      if (owners.has(entity.owner)) continue;
      entity.owner = adopterOf(id, adopters)?.incarnation ?? 0;
    }
    this.#departed = this.#departed.filter(({ tick }) => tick >= this.#tick - SILENCE_TICKS);
    for (const { isGone, nonce } of this.#members)
      if (isGone) this.#departed.push({ nonce, tick: this.#tick });
    this.#members = live;
  }

  #difference({ world, table, members }: Replica): string | undefined {
    const live = members.live();
    if (members.format !== this.#format)
      return `records are of format ${members.format}, expected ${this.#format}`;
    const ours = this.#members.map(({ incarnation }) => incarnation).join();
    const theirs = live.map(({ incarnation }) => incarnation).join();
    if (ours !== theirs) return `members are ${theirs}, expected ${ours}`;
    if (world.size !== this.#entities.size) return `${world.size} entities, expected ${this.#entities.size}`;
    const incarnations = new Map(live.map(({ number, incarnation }) => [number + 1, incarnation]));
    for (const [id, entity] of this.#entities) {
      if (!world.has(id)) return `${id} is not there`;
      const { owner, kept } = entity;
      const { x, y, z } = this.#placeOf(entity);
      const found = incarnations.get(table.owners[id >>> 10]!) ?? 0;
      if (found !== owner) return `${id} is owned by ${found}, expected ${owner}`;
      if (owner === 0 && this.#members.some(({ adopts }) => adopts)) return `${id} has no owner`;
      const [foundX, foundY, foundZ = 0] = world.position(id);
      if (foundX !== x || foundY !== y || (foundZ !== z && world.dimensions === 3))
        return `${id} is at ${foundX}, ${foundY}, ${foundZ}, expected ${x}, ${y}, ${z}`;
      if (!isSame(table.keeps.get(id) ?? NOTHING, kept)) return `${id} has other state than was kept with it`;
    }
    for (const [key, id] of table.keys) {
      if (this.#keys.get(key) !== id) return `key '${key}' is of ${id}, expected ${this.#keys.get(key)}`;
    }
    return undefined;
  }
}

/** The one of the highest weight; of equal ones the oldest. */
export function adopterOf<M extends { readonly incarnation: number }>(
  id: number,
  adopters: readonly M[],
): M | undefined {
  return adopters.toSorted(
    (a, b) => weightOf(id, b.incarnation) - weightOf(id, a.incarnation) || a.incarnation - b.incarnation,
  )[0];
}

function isSame(first: Uint8Array, second: Uint8Array): boolean {
  return first.length === second.length && first.every((byte, i) => byte === second[i]);
}

/** Of bytes as the game makes them: see `#state` in game.ts. */
function countNonce(counts: Map<number, number>, bytes: Uint8Array): void {
  if (bytes.length < 8) return;
  const nonce = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  counts.set(nonce, (counts.get(nonce) ?? 0) + 1);
}
