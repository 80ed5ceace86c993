/** Every option of an inspector, with every kind of value that it is not for. */
import { UmweltError, World } from 'umwelt';
import { expect, test } from 'vitest';
import { type Kinds, optionFaults } from '../../../tools/hostile-options.ts';
import { inspect, startInspector } from '../src/index.ts';

const KINDS: Kinds = {
  port: ['number'],
  host: ['text'],
  token: ['text'],
  hostNames: ['list'],
  title: ['text'],
  kinds: ['list'],
  kindOf: ['function'],
  nameOf: ['function'],
  tickSeconds: ['number'],
  bounds: [],
  'bounds.minX': ['number'],
  'bounds.maxY': ['number'],
  'bounds.minZ': ['number'],
  rangeOf: ['function'],
  rangesOf: ['function'],
  rangeShape: [],
  rangeRatio: [],
  detectors: ['list'],
  recording: [],
  'recording.firstTick': ['number'],
  'recording.lastTick': ['number'],
  commands: [],
  'commands.play': ['function'],
  'commands.seek': ['function'],
};
const isRight = (error: unknown): boolean => error instanceof UmweltError && error.code === 'BAD_OPTION';
const noop = (): void => {};
const FINE = {
  title: 'umwelt',
  kinds: ['thing'],
  kindOf: () => 0,
  tickSeconds: 0.05,
  bounds: { minX: 0, minY: 0, maxX: 1, maxY: 1, minZ: 0, maxZ: 1 },
  commands: { play: noop, pause: noop, step: noop, setSpeed: noop, seek: noop },
  recording: { firstTick: 0, lastTick: 9, isComplete: true },
};
/** What is a port or a name is not listened on: what the system says of it is no matter of form. */
function unheard(options: never): never {
  const { port, host } = (options ?? {}) as { port?: unknown; host?: unknown };
  const isSound = port === 1 || host === 'hostile' || host === '5';
  return isSound ? ({ ...(options as object), port: 0, host: '127.0.0.1' } as never) : options;
}

test('an option of an inspector that is none is told as one', async () => {
  const { faults, tried } = await optionFaults({
    attempt: async (options) => (await startInspector(unheard(options))).close(),
    fine: { ...FINE, port: 0, world: new World() },
    kinds: { ...KINDS, world: [] },
    isRight,
  });
  // A world has members of its own.
  expect(faults.filter((fault) => !fault.startsWith('world.nonsense'))).toEqual([]);
  expect(tried).toBeGreaterThan(300);
});

test('an option of inspect that is none is told as one', async () => {
  const world = new World();
  const { faults } = await optionFaults({
    attempt: async (options) => (await inspect(world, unheard(options))).close(),
    fine: { ...FINE, port: 0 },
    kinds: KINDS,
    isRight,
  });
  expect(faults).toEqual([]);
  for (const value of [null, Number.NaN, 'text', {}, [], 3n, Symbol('hostile')] as never[])
    await expect(inspect(value, { port: 0 })).rejects.toThrow(UmweltError);
});
