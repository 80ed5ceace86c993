/**
 * The two ends of the frame format with nothing in between: views and a frame writer on one side, real clients on the
 * other, whose sockets are lists of bytes.
 *
 * A frame can be held back, cut short in bytes, or lost with its connection; what every client should then have is worked
 * out from the world itself.
 */
import { type LeaveReason, type OpenSocket, type SocketEvents, UmweltClient } from '@umwelt/client';
import type { EntityId, World } from 'umwelt';
import { AppearanceColumns } from '../src/appearance/appearance-columns.ts';
import { RecordCache } from '../src/appearance/record-cache.ts';
import { type AppearanceOptions, FIELD_TYPES, readSchema } from '../src/appearance/schema.ts';
import { ClientView } from '../src/views/client-view.ts';
import { FrameWriter } from '../src/views/frame-writer.ts';
import { ViewIntake } from '../src/views/view-intake.ts';
import { type ClientMessage, readClientMessage } from '../src/wire/client-message.ts';
import { writeWelcome } from '../src/wire/server-message.ts';
import { Surroundings } from './band-model.ts';

const TOKEN = new Uint8Array(16).fill(7);
const WORLD_ID = new Uint8Array(8).fill(3);

/** A client whose connection is in the hands of a test. */
export class WiredClient {
  readonly client: UmweltClient;
  readonly said: ClientMessage[] = [];
  readonly told: string[] = [];
  /** Why one left that did, at last. */
  readonly reasons = new Map<number, LeaveReason>();
  /** What it was sent on this connection and those before. */
  readonly heard: Uint8Array[] = [];
  events: SocketEvents | undefined;
  nowMs = 0;
  readonly #keepsAll: boolean;
  #timers: (() => void)[] = [];

  /** Without `keepsAll` only the last word of the client is remembered, and nothing that it heard or told. */
  constructor(keepLeftMs = 0, keepsAll = true) {
    this.#keepsAll = keepsAll;
    const openSocket: OpenSocket = (_url, events) => {
      this.events = events;
      return {
        send: (bytes) => {
          const message = readClientMessage(bytes);
          if (message === undefined) throw new Error('the client says what is no message');
          if (!keepsAll) this.said.length = 0;
          this.said.push(message);
        },
        close: () => {
          if (this.events === events) this.events = undefined;
        },
      };
    };
    this.client = new UmweltClient({
      url: 'test:',
      keepLeftMs,
      openSocket,
      now: () => this.nowMs,
      random: () => 0.5,
      setTimer: (action) => {
        this.#timers.push(action);
        return () => {
          this.#timers = this.#timers.filter((timer) => timer !== action);
        };
      },
    });
    if (keepsAll) this.#tellAll();
    this.client.connect();
    this.events?.opened();
  }

  #tellAll(): void {
    this.client.on('enter', ({ id }) => this.told.push(`enter ${id}`));
    this.client.on('leave', ({ id }, reason) => {
      this.told.push(`leave ${id}`);
      this.reasons.set(id, reason);
    });
    this.client.on('update', ({ id }) => this.told.push(`update ${id}`));
    this.client.on('message', ({ id }, bytes) => this.told.push(`message ${id} ${bytes.join(',')}`));
  }

  get timerCount(): number {
    return this.#timers.length;
  }

  runTimers(): void {
    for (const timer of this.#timers.splice(0)) timer();
  }

  receive(bytes: Uint8Array): void {
    if (this.#keepsAll) this.heard.push(bytes);
    this.events?.received(bytes);
  }

  /** The connection breaks, and the client opens another; answers the newest tick that it then says it has. */
  reconnect(): number {
    this.events?.closed(1006, '');
    this.runTimers();
    this.events?.opened();
    const hello = this.said.findLast(({ kind }) => kind === 'hello');
    return hello?.kind === 'hello' ? hello.lastTick : 0;
  }
}

export interface Seat {
  readonly view: ClientView;
  readonly wired: WiredClient;
  readonly surroundings: Surroundings;
  /** Why those are no longer shown that once were: as of the tick in which that ended. */
  readonly causes: Map<EntityId, LeaveReason>;
  /** As of the last tick, or since it was seated otherwise. */
  shown: Set<EntityId>;
}

/** All that stands between a world and its clients, without sessions and sockets. */
export class FrameDesk {
  readonly world: World;
  readonly columns: AppearanceColumns;
  readonly seats: Seat[] = [];
  readonly #intake: ViewIntake;
  readonly #records: RecordCache;
  readonly #writer: FrameWriter;
  readonly #senses: readonly string[];

  constructor(world: World, appearance: AppearanceOptions, senses: readonly string[], dimensions: 2 | 3 = 2) {
    this.world = world;
    this.#senses = senses;
    this.columns = new AppearanceColumns(world, readSchema(appearance, senses, dimensions));
    this.#records = new RecordCache(this.columns);
    this.#writer = new FrameWriter(this.columns, this.#records);
    this.#intake = new ViewIntake(world);
  }

  /** Records encoded in the last tick. */
  get recordCount(): number {
    return this.#records.count;
  }

  seat(watcher: EntityId, own: EntityId): Seat {
    const seat: Seat = {
      view: new ClientView(),
      wired: new WiredClient(),
      surroundings: new Surroundings(),
      causes: new Map(),
      shown: new Set(),
    };
    this.#intake.attach(seat.view, watcher);
    seat.view.setOwn(own, this.world.tickCount);
    this.#noteCauses(seat);
    this.seats.push(seat);
    this.welcome(seat, false);
    return seat;
  }

  isTaken(watcher: EntityId): boolean {
    return this.#intake.viewOf(watcher) !== undefined;
  }

  /** The client is shown what another watcher perceives. */
  reseat(seat: Seat, watcher: EntityId, own: EntityId): void {
    const { view } = seat;
    this.#intake.attach(view, watcher);
    view.setOwn(own, this.world.tickCount, !this.world.has(view.own));
    this.#noteCauses(seat);
  }

  welcome({ wired }: Seat, resumed: boolean): void {
    const { positionStep, dimensions, fields } = this.columns.schema;
    const named = fields.map(({ name, type }) => ({ name, typeNumber: FIELD_TYPES.indexOf(type) }));
    const facts = {
      positionStep,
      dimensions,
      fields: named,
      senses: this.#senses,
      tickMs: 50,
      inputsPerSecond: 160,
    };
    wired.receive(writeWelcome({ ...facts, resumed, token: TOKEN, worldId: WORLD_ID }));
  }

  /** A tick of the world, taken in by all views. */
  tick(): void {
    this.#intake.take(this.world.tick());
    for (const seat of this.seats) this.#noteCauses(seat);
    this.#writer.beginTick(this.world.tickCount);
    this.columns.touchDue();
    for (const { view } of this.seats) view.rows.validate();
  }

  /** No frame goes out for this tick. */
  hold({ view }: Seat): void {
    view.noteNews(this.world.tickCount);
  }

  frame(seat: Seat, availableBytes = Number.POSITIVE_INFINITY, entersMax?: number): Uint8Array<ArrayBuffer> {
    const { view } = seat;
    const { bands, positionStep } = this.columns.schema;
    seat.surroundings.look(this.world, view, this.#shownTo(view), bands, positionStep);
    const { bytes } = this.#writer.write(view, 0, availableBytes, entersMax);
    view.rows.validate();
    return bytes;
  }

  reconnect(seat: Seat): void {
    const lastTick = seat.wired.reconnect();
    seat.view.resume(lastTick, this.world.tickCount);
    this.welcome(seat, true);
  }

  /** What the client should have by now, one line an entity. */
  expected({ view, surroundings }: Seat): string[] {
    const { world } = this;
    return [...this.#shownTo(view)].map((id) => {
      const isRelated = view.watcher !== 0 && id !== view.watcher && world.has(id);
      const senses = isRelated ? world.senses(view.watcher, id) : 0;
      const fields = this.#fieldsOf(id, view.own === id, senses, surroundings);
      const parent = world.has(id) ? (world.parentOf(id) ?? 0) : 0;
      const knownParent = this.#shownTo(view).has(parent) ? parent : 0;
      return lineOf(id, senses, this.#stepsOf(id), fields, knownParent);
    });
  }

  actual({ wired }: Seat): string[] {
    const { positionStep } = this.columns.schema;
    return [...wired.client.entities.values()].map(({ id, senses, x, y, z, fields, parent }) =>
      lineOf(
        id,
        senses,
        [x, y, z].map((value) => Math.round(value / positionStep)),
        { ...fields },
        parent?.id ?? 0,
      ),
    );
  }

  #stepsOf(id: EntityId): number[] {
    const [x = 0, y = 0, z = 0] = this.world.position(id);
    return [x, y, z].map((value) => Math.round(value / this.columns.schema.positionStep));
  }

  #shownTo({ watcher, own }: ClientView): Set<EntityId> {
    const ids = new Set(watcher === 0 ? [] : this.world.visibleTo(watcher));
    if (own !== 0) ids.add(own);
    return ids;
  }

  #noteCauses(seat: Seat): void {
    const shown = this.#shownTo(seat.view);
    for (const id of seat.shown) {
      if (!shown.has(id)) seat.causes.set(id, this.world.has(id) ? 'out of range' : 'gone');
    }
    for (const id of shown) seat.causes.delete(id);
    seat.shown = shown;
  }

  /** Fields are named after who sees them: any, owner, a band, or a sense. */
  #fieldsOf(
    id: EntityId,
    isOwn: boolean,
    senses: number,
    surroundings: Surroundings,
  ): Record<string, unknown> {
    const seen = this.columns.schema.fields.filter(({ name }) => {
      const [audience = ''] = name.split('-');
      const bit = this.#senses.indexOf(audience);
      const isSensed = bit >= 0 && (senses & (1 << bit)) !== 0;
      return isOwn || audience === 'any' || surroundings.isInside(id, audience) || isSensed;
    });
    return Object.fromEntries(seen.map(({ name }) => [name, this.columns.get(id, name)]));
  }
}

function lineOf(
  id: number,
  senses: number,
  steps: number[],
  fields: Record<string, unknown>,
  parent: number,
): string {
  const sorted = Object.entries(fields).sort(([first], [second]) => (first < second ? -1 : 1));
  return JSON.stringify([id, senses, steps.map((step) => step + 0), sorted, parent]);
}
