/** Every option of a client, with every kind of value that it is not for: a TypeError that says what was expected. */
import { expect, test } from 'vitest';
import { type Kinds, optionFaults } from '../../../tools/hostile-options.ts';
import { UmweltClient } from '../src/index.ts';

const KINDS: Kinds = {
  url: ['text', 'function'],
  credential: ['function'],
  appearance: ['object'],
  delayTicks: ['number'],
  keepLeftMs: ['number'],
  retryFirstMs: ['number'],
  retryMaxMs: ['number'],
  now: ['function'],
  setTimer: ['function'],
  random: ['function'],
  openSocket: ['function'],
  onError: ['function'],
};

test('an option of a client that is none is told as one', async () => {
  const { faults, tried } = await optionFaults({
    attempt: (options) => new UmweltClient(options),
    fine: { url: 'ws://127.0.0.1/' },
    kinds: KINDS,
    isRight: (error) => error instanceof TypeError,
  });
  expect(faults).toEqual([]);
  expect(tried).toBeGreaterThan(100);
});

test('a client without a url is not made', () => {
  expect(() => new UmweltClient({} as never)).toThrow('url of UmweltClient is undefined; expected text');
});
