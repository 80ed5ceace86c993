/** A member that there is not, in any object of options: a slip of the pen is told, and not taken for the default. */
import { expect, test } from 'vitest';
import { detectorSuite } from '../../src/conformance/index.ts';
import { Channels, createCrossList, RecordedWorld, Replay, World } from '../../src/index.ts';

const CIRCLE = { kind: 'circle', x: 0, y: 0, radius: 1 } as const;

function setting() {
  const world = new RecordedWorld();
  const id = world.add({ x: 0, y: 0, range: 5 });
  world.tick();
  const pieces: Uint8Array[] = [];
  world.record((bytes) => pieces.push(bytes.slice()));
  world.tick();
  world.stopRecording();
  return { world, id, recording: new Uint8Array(Buffer.concat(pieces)) };
}

type Setting = ReturnType<typeof setting>;

/** Every call that takes options, given some that have `slip` besides. */
const CALLS: readonly [name: string, call: (setting: Setting, slip: object) => unknown][] = [
  ['new World', (_, slip) => new World(slip)],
  ['new World, an interest', (_, slip) => new World({ interests: { default: slip } })],
  ['add', ({ world }, slip) => world.add({ x: 0, y: 0, ...slip })],
  ['addMany', ({ world }, slip) => world.addMany({ x: [0], y: [0], ...slip })],
  ['update', ({ world, id }, slip) => world.update(id, slip)],
  ['on', ({ world }, slip) => world.on('enter', () => {}, slip)],
  ['query', ({ world }, slip) => world.query(CIRCLE, slip)],
  ['queryInto', ({ world }, slip) => world.queryInto(CIRCLE, slip, new Uint32Array(1))],
  ['nearest', ({ world }, slip) => world.nearest(0, 0, 1, slip)],
  ['nearestInto', ({ world }, slip) => world.nearestInto(0, 0, 1, slip, new Uint32Array(1))],
  ['targets', ({ world, id }, slip) => world.targets(id, CIRCLE, slip)],
  ['targetsInto', ({ world, id }, slip) => world.targetsInto(id, CIRCLE, slip, new Uint32Array(1))],
  ['watchersAt', ({ world }, slip) => world.watchersAt({ x: 0, y: 0, ...slip })],
  ['describe', ({ world }, slip) => world.describe(slip)],
  ['setInterest', ({ world }, slip) => world.setInterest('default', slip)],
  ['World.restore', ({ world }, slip) => World.restore(world.snapshot(), slip)],
  [
    'World.restore, an interest',
    ({ world }, slip) => World.restore(world.snapshot(), { interests: { default: slip } }),
  ],
  ['RecordedWorld.restore', ({ world }, slip) => RecordedWorld.restore(world.snapshot(), slip)],
  ['record', ({ world }, slip) => world.record(() => {}, slip)],
  ['new Replay', ({ recording }, slip) => new Replay(recording, slip)],
  ['new Channels', ({ world }, slip) => new Channels(world, { target: 10, tolerance: 0.2, ...slip })],
  ['createCrossList', (_, slip) => createCrossList(slip)],
  ['detectorSuite', (_, slip) => detectorSuite('sweep', slip)],
];

test.each(CALLS)('%s refuses a member that there is not', (_, call) => {
  const fault = expect.objectContaining({ code: 'BAD_OPTION', details: { field: 'detektor', value: 5 } });
  expect(() => call(setting(), { detektor: 5 })).toThrow(fault);
});

test('a member that no interest has is told with the name of the interest', () => {
  const interests: Record<string, object> = { default: { cap: 5 }, scout: { kap: 5 } };
  expect(() => new World({ interests })).toThrow('kap is no member of interests.scout, expected ');
});

test.each(CALLS)('%s takes a member that is undefined for an absent one', (_, call) => {
  call(setting(), { detektor: undefined });
});

test.each(CALLS.filter(([name]) => !/interest|^add|^update|watchersAt|Channels/.test(name)))(
  '%s takes no other thing for its options',
  (_, call) => {
    for (const given of [null, 5, [], new Map()]) {
      expect(() => call(setting(), given as unknown as object)).toThrow(
        expect.objectContaining({ code: 'BAD_OPTION' }),
      );
    }
  },
);

test('a shape refuses a member that there is not', () => {
  const { world } = setting();
  const fault = expect.objectContaining({ code: 'BAD_SHAPE', details: { field: 'raduis', value: 5 } });
  expect(() => world.query({ ...CIRCLE, raduis: 5 } as never)).toThrow(fault);
});
