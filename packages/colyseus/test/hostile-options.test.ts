/** Every option of a room's interest, in both modes, with every kind of value that it is not for. */
import { UmweltError, World } from 'umwelt';
import { expect, test } from 'vitest';
import { type Kinds, optionFaults } from '../../../tools/hostile-options.ts';
import { type InterestRoom, RoomInterest } from '../src/index.ts';

const VIEW: Kinds = { mode: [], graceMs: ['number'], clock: [], 'clock.now': ['function'] };
const FRAMES: Kinds = {
  mode: [],
  graceMs: ['number'],
  tickMs: ['number'],
  appearance: ['object'],
  'appearance.positionStep': ['number'],
  'appearance.bands': ['object'],
  'appearance.fields': ['object'],
  limits: ['object'],
  'limits.messagesPerSecond': ['number'],
  onInput: ['function'],
  logger: [],
  randomToken: ['function'],
};

test.each([
  ['view', { mode: 'view' }, VIEW],
  ['frames', { mode: 'frames', tickMs: 50, appearance: { positionStep: 1 } }, FRAMES],
] as const)("an option of mode '%s' that is none is told as one", async (_, fine, kinds) => {
  const room = () => ({ clients: new Map(), onMessage: () => {}, hasReservedSeat: () => false });
  const { faults, tried } = await optionFaults({
    attempt: (options) => new RoomInterest(room() as never as InterestRoom, new World(), options).dispose(),
    fine,
    kinds,
    isRight: (error) => error instanceof UmweltError && error.code === 'BAD_OPTION',
  });
  // A clock is an object of the game's own.
  expect(faults.filter((fault) => !fault.startsWith('clock.nonsense'))).toEqual([]);
  expect(tried).toBeGreaterThan(50);
});
