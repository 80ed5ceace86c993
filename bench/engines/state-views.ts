/**
 * Colyseus's way to show each client its part of the state: one StateView for each client, encoded as its
 * SchemaSerializer does it.
 *
 * One map of units is the state; a unit is shown to a client by adding it to the client's view. A patch is the shared
 * part, encoded once, followed by the view of each client; each client gets both as bytes of its own. The encoder's
 * buffer has room for all of them from the start, as its documentation advises. Two ways to hold a position: as float32,
 * and quantised to 16 bits, which in these worlds is about as fine as the gateway's steps.
 */
import {
  type Decoder,
  Encoder,
  type Iterator,
  Reflection,
  type Schema,
  StateView,
  schema,
  t,
} from '@colyseus/schema';
import type { Changes, EntityId, World } from 'umwelt';

/** Bytes; a patch for 1,000 clients with 100 others each takes half of this. */
const BUFFER_SIZE = 4 * 1024 * 1024;
type Numbers = ReturnType<typeof t.float32>;

/** A client that decodes what it is sent. */
interface Judge {
  readonly client: number;
  readonly watcher: EntityId;
  readonly decoder: Decoder;
}

interface Unit extends Schema {
  id: number;
  x: number;
  y: number;
}

export interface StateViewsTimes {
  /** Milliseconds of setting positions. */
  readonly writeMs: number;
  /** Milliseconds of adding to views and removing. */
  readonly viewMs: number;
  /** Milliseconds of encoding for all clients. */
  readonly encodeMs: number;
}

export class StateViews {
  readonly #ids: Uint32Array;
  readonly #clients: number;
  readonly #slotUnits: Unit[] = [];
  readonly #units: Unit[] = [];
  readonly #views: StateView[] = [];
  readonly #viewAt = new Map<EntityId, StateView>();
  readonly #encoder: Encoder;
  readonly #judges: Judge[] = [];
  sentBytes = 0;
  /** The error of a position that was sent, in world units. */
  readonly precision: number;

  /**
   * Each of the first `clients` of `ids` has a client; the first `judges` of these clients decode what they get.
   * With `within`, the range of the coordinates in world units, positions have 16 bits each.
   */
  constructor(
    ids: Uint32Array,
    clients: number,
    judges: number,
    within: readonly [min: number, max: number] | undefined,
  ) {
    this.#ids = ids;
    this.#clients = clients;
    const [min, max] = within ?? [0, 0];
    this.precision = within === undefined ? 0 : (max - min) / 0xffff;
    const number = (): Numbers => (within === undefined ? t.float32() : t.quantized({ min, max, bits: 16 }));
    const UnitSchema = schema({ id: t.uint32(), x: number(), y: number() }, 'Unit');
    const State = schema({ units: t.map(UnitSchema).view() }, 'State');
    const state = new State();
    Encoder.BUFFER_SIZE = BUFFER_SIZE;
    this.#encoder = new Encoder(state);
    for (const id of ids) {
      const unit = new UnitSchema().assign({ id }) as Unit;
      this.#units.push(unit);
      this.#slotUnits[id >>> 10] = unit;
      state.units.set(String(id), unit as never);
    }
    for (let client = 0; client < clients; client++) {
      const view = new StateView();
      view.add(this.#units[client]!);
      this.#views.push(view);
      this.#viewAt.set(ids[client]!, view);
    }
    for (let client = 0; client < Math.min(judges, clients); client++) this.#admit(client);
  }

  step(changes: Changes, x: ArrayLike<number>, y: ArrayLike<number>): StateViewsTimes {
    const beganMs = performance.now();
    const units = this.#units;
    for (let i = 0; i < units.length; i++) {
      const unit = units[i]!;
      unit.x = x[i]!;
      unit.y = y[i]!;
    }
    const writtenMs = performance.now();
    this.#eachPair(changes, 'left', (view, unit) => view.remove(unit));
    this.#eachPair(changes, 'entered', (view, unit) => view.add(unit));
    const viewedMs = performance.now();
    const patches = this.#encode();
    const encodedMs = performance.now();
    for (const { client, decoder } of this.#judges) decoder.decode(patches[client]!, { offset: 1 });
    return { writeMs: writtenMs - beganMs, viewMs: viewedMs - writtenMs, encodeMs: encodedMs - viewedMs };
  }

  /** What the checking clients have and should not, or lack and should have. */
  problems(world: World): string[] {
    return this.#judges.flatMap(({ watcher, decoder }) => {
      const expected = [watcher, ...world.visibleTo(watcher)].sort((one, other) => one - other);
      const { units } = decoder.state as unknown as { units: Map<string, Unit> };
      const had = [...units.values()].sort((one, other) => one.id - other.id);
      const isEqual =
        had.length === expected.length && had.every((unit, i) => this.#isAt(world, unit, expected[i]!));
      return isEqual ? [] : [`the state of the client of ${watcher} is not what it perceives`];
    });
  }

  #isAt(world: World, unit: Unit, expected: EntityId): boolean {
    if (unit.id !== expected) return false;
    const [x = 0, y = 0] = world.position(expected);
    return Math.max(Math.abs(unit.x - x), Math.abs(unit.y - y)) <= this.precision;
  }

  /** A patch for every client, as SchemaSerializer.applyPatches makes it if each client has a view. */
  #encode(): Uint8Array[] {
    const encoder = this.#encoder;
    const it: Iterator = { offset: 1 };
    encoder.encode(it);
    const sharedOffset = it.offset;
    const patches: Uint8Array[] = [];
    for (let client = 0; client < this.#clients; client++) {
      const patch = encoder.encodeView(this.#views[client]!, sharedOffset, it);
      this.sentBytes += patch.length;
      patches.push(patch);
    }
    encoder.discardChanges();
    return patches;
  }

  /** The full state for a client that joins, as SchemaSerializer.getFullState makes it. */
  #admit(client: number): void {
    const decoder = Reflection.decode(Reflection.encode(this.#encoder)) as unknown as Decoder;
    const it: Iterator = { offset: 1 };
    this.#encoder.encodeAll(it);
    decoder.decode(this.#encoder.encodeAllView(this.#views[client]!, it.offset, { ...it }), { offset: 1 });
    this.#judges.push({ client, watcher: this.#ids[client]!, decoder });
  }

  #eachPair(changes: Changes, kind: 'entered' | 'left', visit: (view: StateView, unit: Unit) => void): void {
    const { count, watchers, offsets, markers } = changes.columns(kind);
    for (let row = 0; row < count; row++) {
      const view = this.#viewAt.get(watchers[row]!);
      if (view === undefined) continue;
      for (let i = offsets[row]!; i < offsets[row + 1]!; i++)
        visit(view, this.#slotUnits[markers[i]! >>> 10]!);
    }
  }
}
