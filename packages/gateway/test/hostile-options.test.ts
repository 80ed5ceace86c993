/** Every option of a gateway and of its transport, with every kind of value that it is not for. */
import { createServer } from 'node:http';
import { pino } from 'pino';
import { UmweltError, World } from 'umwelt';
import { expect, test } from 'vitest';
import { type Kinds, optionFaults } from '../../../tools/hostile-options.ts';
import { Gateway, WebSocketTransport } from '../src/index.ts';
import { readLimits } from '../src/sessions/limits.ts';
import { readDoorLimits } from '../src/transports/door-limits.ts';

const isRight = (error: unknown): boolean =>
  error instanceof UmweltError && (error.code === 'BAD_OPTION' || error.code === 'UNKNOWN_SENSE');

function numbersIn(prefix: string, limits: object): Kinds {
  return Object.fromEntries(Object.keys(limits).map((name) => [`${prefix}.${name}`, ['number']]));
}

const NEEDED = { tickMs: 50, appearance: { positionStep: 1 }, authenticate: () => undefined };
const GATEWAY: Kinds = {
  tickMs: ['number'],
  appearance: ['object'],
  'appearance.positionStep': ['number'],
  'appearance.fields': ['object'],
  'appearance.fields.name': [],
  'appearance.fields.name.type': [],
  'appearance.fields.name.max': ['number'],
  'appearance.fields.name.audience': [],
  'appearance.fields.name.sense': [],
  'appearance.bands': ['object'],
  'appearance.bands.far': ['number'],
  'appearance.bands.far.distance': ['number'],
  'appearance.bands.far.everyTicks': ['number'],
  'appearance.nearDistance': ['number'],
  authenticate: ['function'],
  onInput: ['function'],
  onJoin: ['function'],
  onLeave: ['function'],
  randomToken: ['function'],
  limits: ['object'],
  ...numbersIn('limits', readLimits()),
  logger: [],
  clock: [],
  'clock.now': ['function'],
  'clock.repeat': ['function'],
};
/** What is called by a name of the user's has members of any name, and what is an object of another's has more. */
const OPEN = /^(appearance\.(fields|bands)|clock)\.nonsense/;

test('an option of a gateway that is none is told as one', async () => {
  const fine = {
    ...NEEDED,
    appearance: {
      positionStep: 1,
      fields: { name: { type: 'string', max: 3, audience: 'far', sense: 'sight' } },
      bands: { far: { distance: 3, everyTicks: 2 } },
    },
    logger: pino({ enabled: false }),
    clock: { now: () => 0, repeat: () => () => {} },
  };
  const attempt = (options: never) => new Gateway(new World(), options).drain();
  const { faults, tried } = await optionFaults({ attempt, fine, kinds: GATEWAY, isRight });
  expect(faults.filter((fault) => !OPEN.test(fault))).toEqual([]);
  expect(tried).toBeGreaterThan(500);
});

test('an option of a transport that is none is told as one', async () => {
  const kinds: Kinds = {
    port: ['number'],
    host: ['text'],
    path: ['text'],
    origins: ['list'],
    adminPort: ['number'],
    adminHost: ['text'],
    publicHealth: ['flag'],
    answer: ['function'],
    addressOf: ['function'],
    limits: ['object'],
    ...numbersIn('limits', readDoorLimits()),
  };
  const attempt = (options: never) => new WebSocketTransport(options);
  expect((await optionFaults({ attempt, fine: { port: 0 }, kinds, isRight })).faults).toEqual([]);
  const own = { attempt, fine: { server: createServer() }, kinds: { server: [] }, isRight };
  expect((await optionFaults(own)).faults).toEqual([]);
});

test('what a gateway is asked for with options or values that are none is told, too', async () => {
  const world = new World();
  const gateway = new Gateway(world, NEEDED);
  const id = world.add({ x: 0, y: 0 });
  const drain = { fine: {}, kinds: { noticeMs: ['number'], keepSessions: ['flag'] }, isRight } as const;
  const drained = (options: never) => new Gateway(new World(), { ...NEEDED, ...quick }).drain(options);
  const quick = { clock: { now: () => 0, repeat: timer } };
  expect((await optionFaults({ ...drain, attempt: drained })).faults).toEqual([]);
  const broadcast = (options: never) => gateway.broadcast(id, new Uint8Array(1), options);
  expect(
    (await optionFaults({ fine: {}, kinds: { sense: [] }, isRight, attempt: broadcast })).faults,
  ).toEqual([]);
  for (const value of [null, Number.NaN, 'text', {}, [], 3n, Symbol('hostile')] as never[]) {
    for (const act of [
      () => gateway.set(id, value),
      () => gateway.setImportance(id, value),
      () => gateway.broadcast(id, value),
      () => gateway.broadcastAt({ x: 0, y: 0 }, value),
      () => new Gateway(value, NEEDED),
      () => Gateway.restore(world, value, NEEDED),
      () => gateway.publish(value),
    ]) {
      // An object without members sets nothing.
      if (value !== undefined && String(act).includes('.set(') && isEmptyObject(value)) continue;
      expect(act, `${String(act)} with ${String(value)}`).toThrow(UmweltError);
    }
  }
  await gateway.drain();
});

function timer(action: () => void): () => void {
  const waiting = setTimeout(action);
  return () => clearTimeout(waiting);
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
