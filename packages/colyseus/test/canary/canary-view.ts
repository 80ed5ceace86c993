/**
 * The canary's game in mode 'view': Colyseus's own serializer on one side, the schema's decoder on the other.
 *
 * Units hold another schema, so that what is nested is watched, too; and one that was taken out of the state is kept, and put
 * back later for another entity, as games with pools of objects do it.
 */
import { SchemaSerializer } from '@colyseus/core';
import { Decoder, StateView, schema, t } from '@colyseus/schema';
import type { EntityId } from 'umwelt';
import { RoomInterest } from '../../src/index.ts';
import { type Being, canary } from './canary-model.ts';
import { type CanaryPlayer, type CanaryRoom, type CanaryStage, GRACE_MS } from './canary-room.ts';
import type { LoopClient, LoopRoom } from './loop-room.ts';

const Bag = schema({ note: t.string() }, 'CanaryBag');
const Unit = schema(
  { id: t.uint32(), x: t.float32(), y: t.float32(), name: t.string(), bag: t.ref(Bag) },
  'CanaryUnit',
);
const State = schema({ tick: t.uint32(), units: t.map(Unit).view() }, 'CanaryState');
type UnitSchema = InstanceType<typeof Unit>;

/** Instances out of the state that wait to be used again. */
const SHELF_MOST = 20;
/** Far from where anybody walks: only the game itself shows it to players. */
const BANNER = { x: 100_000, y: 100_000, sight: 0, smell: 0, isCloaked: false, version: 1 };

export class CanaryView implements CanaryRoom {
  readonly room: LoopRoom;
  readonly interest: RoomInterest;
  readonly #stage: CanaryStage;
  readonly #state = new State();
  readonly #serializer = new SchemaSerializer();
  readonly #units = new Map<EntityId, UnitSchema>();
  readonly #shelf: UnitSchema[] = [];
  readonly #banner: EntityId;

  constructor(room: LoopRoom, stage: CanaryStage) {
    this.room = room;
    this.#stage = stage;
    this.interest = new RoomInterest(room as never, stage.world, {
      mode: 'view',
      graceMs: GRACE_MS,
      clock: { now: () => stage.nowMs },
    });
    this.#serializer.reset(this.#state);
    this.#banner = stage.world.add({ x: BANNER.x, y: BANNER.y });
    stage.model.beings.set(this.#banner, BANNER);
    this.put(this.#banner, BANNER);
  }

  put(id: EntityId, being: Being): void {
    const unit =
      this.#shelf.length > SHELF_MOST / 2 ? this.#shelf.shift()! : new Unit().assign({ bag: new Bag() });
    this.#units.set(id, unit);
    this.#fill(unit, id, being);
    this.#state.units.set(String(id), unit);
    this.interest.track(id, unit);
  }

  change(id: EntityId, being: Being): void {
    this.#fill(this.#units.get(id)!, id, being);
  }

  take(id: EntityId): void {
    const unit = this.#units.get(id)!;
    this.#state.units.delete(String(id));
    this.#units.delete(id);
    this.#shelf.push(unit);
    if (this.#shelf.length > SHELF_MOST) this.#shelf.shift();
  }

  patch(): void {
    this.#state.tick = this.#stage.world.tickCount;
    this.#serializer.applyPatches(this.room.clients as never, this.#state);
  }

  player(client: LoopClient): CanaryPlayer {
    client.raw(this.#serializer.getFullState(client.asClient as never) as Uint8Array);
    return new ViewPlayer(
      client,
      this.#stage,
      (next) => this.#serializer.getFullState(next.asClient as never) as Uint8Array,
    );
  }

  mischief(client: LoopClient, roll: (bound: number) => number): void {
    const { shown } = this.#stage.model;
    if (client.view === undefined) return;
    if (roll(2) === 0) {
      client.view.add(this.#units.get(this.#banner)!);
      shown.set(client.sessionId, new Set([this.#banner]));
    } else {
      client.view = new StateView();
      if (shown.delete(client.sessionId)) client.view.remove(this.#units.get(this.#banner)!);
    }
  }

  #fill(unit: UnitSchema, id: EntityId, { x, y, version }: Being): void {
    unit.assign({ id, x, y, name: canary(id, 'name', version) });
    unit.bag.note = canary(id, 'note', version);
  }
}

class ViewPlayer implements CanaryPlayer {
  client: LoopClient;
  frames = 0;
  readonly #stage: CanaryStage;
  readonly #stateOf: (client: LoopClient) => Uint8Array;
  readonly #decoder = new Decoder(new State());
  readonly #listeners = new Map([['state', (bytes: unknown) => this.#take(bytes as Uint8Array)]]);
  /** The next state is whole, and comes on top of one that is old. */
  #isBack = false;

  constructor(client: LoopClient, stage: CanaryStage, stateOf: (client: LoopClient) => Uint8Array) {
    this.client = client;
    this.#stage = stage;
    this.#stateOf = stateOf;
  }

  had(): string[] | undefined {
    const { state } = this.#decoder;
    if (state.tick !== this.#stage.world.tickCount) return undefined;
    const units = [...(state.units ?? new Map<string, UnitSchema>()).values()];
    return units
      .sort((one, other) => one.id - other.id)
      .map(({ id, x, y, name, bag }) => `${id} ${x} ${y} ${name} ${bag.note}`);
  }

  dropped(): void {
    this.#isBack = true;
  }

  reconnected(client: LoopClient): void {
    this.client = client;
    client.raw(this.#stateOf(client));
  }

  deliver(most?: number): void {
    this.client.deliver(this.#listeners, most);
  }

  #take(bytes: Uint8Array): void {
    this.frames++;
    if (this.#isBack) this.#decoder.decodeResync(bytes, { offset: 1 });
    else this.#decoder.decode(bytes, { offset: 1 });
    this.#isBack = false;
  }
}
