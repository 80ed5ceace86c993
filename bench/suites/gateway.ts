/**
 * The cost of bringing a tick to clients: from the report to bytes that are ready for the sockets.
 *
 * 10,000 walkers all move. 1,000 of them have a client, which sees 100 others and itself. An entity is encoded once and
 * its bytes are copied to every client that needs them, so the figure that counts is the time for each entity update sent
 * to a client. Connections discard their bytes, except for a few with real clients, whose mirrors must equal the world in
 * the end.
 */
import { UmweltClient } from '@umwelt/client';
import { type AppearanceOptions, Gateway } from '@umwelt/gateway';
import { createWalkers } from '@umwelt/scenarios';
import { type EntityId, type Interest, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median, percentile } from '../measure/samples.ts';
import type { Suite } from './suite.ts';

const ENTITIES = 10_000;
const SMOKE_ENTITIES = 500;
const PERCEIVED = 100;
/** One client for this many entities. */
const ENTITIES_A_CLIENT = 10;
const WARM_TICKS = 60;
const TICKS = 200;
const SMOKE_TICKS = 5;
const JUDGES = 5;
const TICK_MS = 50;
/** World units; a walker moves 25 of these steps in a tick. */
const POSITION_STEP = 0.01;
/** Ticks, more than any rate, until every client is up to date. */
const RESTING_TICKS = 8;
/** One in this many entities loses health in a tick. */
const HURT = 20;

/** The fields of an entity that clients see, and how often they are sent. */
interface Show {
  readonly label: string;
  readonly appearance: AppearanceOptions;
  readonly interest: Interest;
}

const POSITIONS: Show = { label: 'positions', appearance: { positionStep: POSITION_STEP }, interest: {} };
const SHOWS: readonly Show[] = [
  POSITIONS,
  {
    label: 'a name by sight, health if near',
    appearance: {
      positionStep: POSITION_STEP,
      nearDistance: 25,
      fields: { name: { type: 'string', sense: 'sight' }, health: { type: 'uint', audience: 'near' } },
    },
    interest: {},
  },
  {
    label: 'positions at rates by distance',
    appearance: { positionStep: POSITION_STEP },
    interest: {
      updateRates: [
        [0.25, 1],
        [0.5, 2],
        [1, 4],
      ],
    },
  },
];

export const gateway: Suite = {
  name: 'gateway',
  summary: 'from the report of a tick to frames for all clients',
  cases: ({ smoke, entities }) =>
    (entities ?? [smoke ? SMOKE_ENTITIES : ENTITIES]).map((count) => gatewayCase(count, smoke)),
};

function gatewayCase(entities: number, smoke: boolean): GaugeCase {
  const clients = Math.max(1, Math.floor(entities / ENTITIES_A_CLIENT));
  return {
    kind: 'gauge',
    name: `${entities} entities moving, ${clients} clients x ${PERCEIVED} visible`,
    measure: () => measure(entities, clients, smoke ? SMOKE_TICKS : TICKS, smoke ? 0 : WARM_TICKS),
  };
}

/** The world, the gateway, and the counts of its output. */
export class Stage {
  readonly simulation;
  readonly world: World;
  readonly ids: Uint32Array;
  readonly gateway: Gateway;
  readonly judges: { readonly watcher: EntityId; readonly client: UmweltClient }[] = [];
  sentBytes = 0;
  nowMs = 0;

  readonly #hasHealth: boolean;

  constructor(entities: number, clients: number, { appearance, interest }: Show = POSITIONS) {
    this.world = new World({ interests: { default: interest } });
    this.#hasHealth = appearance.fields !== undefined;
    this.simulation = createWalkers({ entities, perceived: PERCEIVED });
    const { simulation, world } = this;
    simulation.step();
    const { x, y } = simulation;
    const range = simulation.range[0]!;
    const watched = world.addMany({ x: x.subarray(0, clients), y: y.subarray(0, clients), range });
    const others = world.addMany({ x: x.subarray(clients), y: y.subarray(clients) });
    this.ids = Uint32Array.of(...watched, ...others);
    this.gateway = new Gateway(world, {
      tickMs: TICK_MS,
      appearance,
      authenticate: ({ credential }) => ({ watcher: Number(credential) }),
      limits: { clientsMax: clients, strangersMax: clients, bytesPerSecond: 1e9, unackedMs: 1e9 },
      clock: { now: () => this.nowMs, repeat: () => () => {} },
    });
    for (const [index, watcher] of watched.entries()) this.#connect(watcher, index < JUDGES);
  }

  step(): { readonly worldMs: number; readonly publishMs: number; readonly told: number } {
    const { simulation, world } = this;
    simulation.step();
    this.nowMs += TICK_MS;
    if (this.#hasHealth) {
      for (let i = world.tickCount % HURT; i < this.ids.length; i += HURT) {
        this.gateway.set(this.ids[i]!, { name: `walker ${i}`, health: world.tickCount });
      }
    }
    const startMs = performance.now();
    world.moveMany(this.ids, simulation.x, simulation.y);
    const changes = world.tick();
    const tickedMs = performance.now();
    this.gateway.publish(changes);
    const told = changes.enteredCount + changes.updatedCount + changes.leftCount;
    return { worldMs: tickedMs - startMs, publishMs: performance.now() - tickedMs, told };
  }

  /** Ticks without movement, until all clients are up to date. */
  rest(): void {
    for (let tick = 0; tick < RESTING_TICKS; tick++) this.gateway.publish(this.world.tick());
  }

  /** Everything that is wrong, one line each. */
  problems(): string[] {
    return this.judges.flatMap(({ watcher, client }) => {
      const expected = [watcher, ...this.world.visibleTo(watcher)].sort((one, other) => one - other);
      const had = [...client.entities.values()].sort((one, other) => one.id - other.id);
      const isEqual =
        had.length === expected.length && had.every((entity, i) => this.#isAt(entity, expected[i]));
      return isEqual ? [] : [`the mirror of the client of ${watcher} is not what it perceives`];
    });
  }

  #isAt({ id, x, y }: { id: EntityId; x: number; y: number }, expected: EntityId | undefined): boolean {
    if (id !== expected) return false;
    const [worldX = 0, worldY = 0] = this.world.position(id);
    return Math.max(Math.abs(x - worldX), Math.abs(y - worldY)) <= POSITION_STEP * 0.51;
  }

  #connect(watcher: EntityId, isJudge: boolean): void {
    let receive = (_bytes: Uint8Array): void => {};
    const connection = {
      bufferedBytes: 0,
      send: (bytes: Uint8Array): void => {
        this.sentBytes += bytes.length;
        receive(bytes);
      },
      close: (): void => {},
      terminate: (): void => {},
    };
    const events = this.gateway.accept(connection, { address: '', url: '/', origin: undefined, headers: {} });
    const credential = String(watcher);
    if (!isJudge) {
      events.received(Uint8Array.of(1, 2, 0, 0, credential.length, ...new TextEncoder().encode(credential)));
      return;
    }
    let open = (): void => {};
    const client = new UmweltClient({
      url: '/',
      credential: () => credential,
      now: () => this.nowMs,
      setTimer: () => () => {},
      openSocket: (_url, socket) => {
        receive = (bytes) => socket.received(bytes);
        open = () => socket.opened();
        return { send: (bytes) => events.received(bytes), close: () => {} };
      },
    });
    client.connect();
    open();
    this.judges.push({ watcher, client });
  }
}

function measure(entities: number, clients: number, ticks: number, warmTicks: number): GaugeOutcome {
  const outcomes = SHOWS.map((show) => measureShow(show, entities, clients, ticks, warmTicks));
  return {
    rows: outcomes.flatMap(({ rows }) => rows),
    problems: outcomes.flatMap(({ problems }) => problems),
  };
}

function measureShow(
  show: Show,
  entities: number,
  clients: number,
  ticks: number,
  warmTicks: number,
): GaugeOutcome {
  const stage = new Stage(entities, clients, show);
  for (let tick = 0; tick < warmTicks + 1; tick++) stage.step();
  const bytesBefore = stage.sentBytes;
  const steps = Array.from({ length: ticks }, () => stage.step());
  const told = steps.reduce((sum, step) => sum + step.told, 0) / ticks + clients;
  const publishMs = steps.map((step) => step.publishMs);
  const bytes = (stage.sentBytes - bytesBefore) / ticks;
  const figures = {
    ticks,
    'world tick, ms': median(steps.map(({ worldMs }) => worldMs)),
    'publish, ms': median(publishMs),
    'p99, ms': percentile(publishMs, 0.99),
    'told a tick': told,
    'ns each told': (median(publishMs) * 1e6) / told,
    'bytes each told': bytes / told,
    'bytes a client and tick': bytes / clients,
  };
  stage.rest();
  return { rows: [{ label: show.label, figures }], problems: stage.problems() };
}
