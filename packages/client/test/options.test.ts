/**
 * What a program without types may give a client by mistake: a TypeError that says what was expected.
 */
import { describe, expect, it, test } from 'vitest';
import { type Kinds, optionFaults } from '../../../tools/hostile-options.ts';
import { UmweltClient } from '../src/index.ts';
import { Stage } from './stage.ts';

const TYPES = 'bool, int, uint, float32, string';
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

test('an address in place of the options is told as one', () => {
  expect(() => new UmweltClient('ws://127.0.0.1/' as never)).toThrow(
    new TypeError('options of UmweltClient is ws://127.0.0.1/; expected an object with a url'),
  );
});

it.each(['entr', 'toString', undefined, ''])('an event that there is not, %o, has no listeners', (event) => {
  const { client } = new Stage();
  const known = 'enter, update, leave, message, messageAt, state, frame';
  expect(() => client.on(event as 'enter', () => {})).toThrow(
    new TypeError(`'${event}' is no event of UmweltClient; expected one of ${known}`),
  );
});

it.each([
  [undefined, 'undefined'],
  [null, 'null'],
  ['draw', 'draw'],
  [{ handleEvent() {} }, 'object'],
])('a listener that is no function, %o, is told as one', (listener, told) => {
  const { client } = new Stage();
  expect(() => client.on('enter', listener as never)).toThrow(
    new TypeError(`listener of UmweltClient is ${told}; expected a function`),
  );
});

it.each([
  [{ fields: null }, 'appearance.fields of UmweltClient is null; expected an object'],
  [{ fields: ['name'] }, 'appearance.fields of UmweltClient is object; expected an object'],
  [
    { fields: { name: 'string' } },
    `'undefined' is no type for field 'name' of UmweltClient; expected one of ${TYPES}`,
  ],
  [
    { fields: { name: null } },
    `'undefined' is no type for field 'name' of UmweltClient; expected one of ${TYPES}`,
  ],
  [
    { fields: { hp: { type: 'number' } } },
    `'number' is no type for field 'hp' of UmweltClient; expected one of ${TYPES}`,
  ],
])('an appearance that no gateway has, %o, is told as one', (appearance, message) => {
  const options = { url: 'ws://127.0.0.1/', appearance: appearance as never };
  expect(() => new UmweltClient(options)).toThrow(new TypeError(message));
});

it('takes the whole appearance of a gateway', () => {
  const appearance = {
    positionStep: 0.01,
    bands: { near: 15 },
    fields: { mood: { type: 'uint', audience: 'near' }, name: { type: 'string', max: 32 } },
  } as const;
  expect(new UmweltClient({ url: 'ws://127.0.0.1/', appearance }).state).toBe('closed');
});

describe('an input', () => {
  it.each([
    ['walk', 'walk'],
    [[1, 2], 'object'],
    [{ dx: 1 }, 'object'],
    [Uint16Array.of(1), 'object'],
    [new DataView(new ArrayBuffer(1)), 'object'],
    [() => 1, 'function'],
    [undefined, 'undefined'],
  ])('is not %o: nothing is sent, and no number used', (payload, told) => {
    const stage = new Stage();
    const refused = new TypeError(`payload of UmweltClient is ${told}; expected a Uint8Array`);
    expect(() => stage.client.sendInput(payload as never)).toThrow(refused);
    stage.open();
    const sentCount = stage.sent.length;
    expect(() => stage.client.sendInput(payload as never)).toThrow(refused);
    expect(stage.sent).toHaveLength(sentCount);
    expect(stage.client.sendInput(Uint8Array.of(1))).toBe(1);
  });

  it('may be bytes with a sign', () => {
    const stage = new Stage().open();
    stage.client.sendInput(Int8Array.of(-1, 1) as never);
    expect([...stage.sent.at(-1)!]).toEqual([2, 1, 255, 1]);
  });
});
