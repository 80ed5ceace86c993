/** What whoever sets a gateway up, or a field, got wrong is said at once, and nothing has changed. */
import { UmweltError, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { type AppearanceOptions, Gateway, type GatewayOptions } from '../src/index.ts';

const FINE: GatewayOptions = {
  tickMs: 50,
  appearance: {
    positionStep: 0.1,
    fields: {
      flag: { type: 'bool' },
      count: { type: 'int' },
      health: { type: 'uint' },
      speed: { type: 'float32' },
      name: { type: 'string', max: 5 },
    },
  },
  authenticate: () => undefined,
};

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
  return 'none';
}

function appearance(options: Partial<Record<keyof AppearanceOptions, unknown>>): Partial<GatewayOptions> {
  return { appearance: { positionStep: 1, ...options } as AppearanceOptions };
}

const fieldsOf = (length: number) =>
  Object.fromEntries(Array.from({ length }, (_, i) => [`field${i}`, { type: 'bool' }]));
const many = fieldsOf(25);
const tooMany = fieldsOf(65_536);

describe('a gateway', () => {
  it('says whose options are missing', () => {
    const make = Gateway as unknown as new (...given: unknown[]) => Gateway;
    expect(() => new make(new World())).toThrow(
      /^the options of Gateway are undefined; expected an object of tickMs, /,
    );
    expect(() => new Gateway(new World(), { ...FINE, limits: 5 as never })).toThrow(
      /^the options of limits are 5; /,
    );
  });

  it.each<[string, Partial<GatewayOptions>, string]>([
    ['a tick of no time', { tickMs: 0 }, 'BAD_OPTION'],
    ['a step of 0', appearance({ positionStep: 0 }), 'BAD_OPTION'],
    ['a step that is none', appearance({ positionStep: Number.NaN }), 'BAD_OPTION'],
    ['too many fields', appearance({ fields: many }), 'BAD_OPTION'],
    ['65,536 fields', appearance({ fields: tooMany }), 'BAD_OPTION'],
    ['a field named by half a letter', appearance({ fields: { 'a\ud800': { type: 'bool' } } }), 'BAD_OPTION'],
    ['a field without a name', appearance({ fields: { '': { type: 'bool' } } }), 'BAD_OPTION'],
    ['a type that is none', appearance({ fields: { a: { type: 'int64' } } }), 'BAD_OPTION'],
    [
      'an audience that is none',
      appearance({ fields: { a: { type: 'int', audience: 'foe' } } }),
      'BAD_OPTION',
    ],
    ['a string too long', appearance({ fields: { a: { type: 'string', max: 1025 } } }), 'BAD_OPTION'],
    [
      'near without a distance',
      appearance({ fields: { a: { type: 'int', audience: 'near' } } }),
      'BAD_OPTION',
    ],
    ['a negative distance', appearance({ nearDistance: -1 }), 'BAD_OPTION'],
    ['a band named as no band', appearance({ bands: { owner: 3 } }), 'BAD_OPTION'],
    ['a band without a distance', appearance({ bands: { far: { everyTicks: 3 } } }), 'BAD_OPTION'],
    ['a band of no number', appearance({ bands: { far: '3' } }), 'BAD_OPTION'],
    ['a band at a rate of 0', appearance({ bands: { far: { distance: 3, everyTicks: 0 } } }), 'BAD_OPTION'],
    ['a band of more', appearance({ bands: { far: { distance: 3, leaveMargin: 1 } } }), 'BAD_OPTION'],
    ['near twice', appearance({ bands: { near: 3 }, nearDistance: 4 }), 'BAD_OPTION'],
    [
      'too many bands',
      appearance({ bands: { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 } }),
      'BAD_OPTION',
    ],
    ['a sense that is none', appearance({ fields: { a: { type: 'int', sense: 'smell' } } }), 'UNKNOWN_SENSE'],
    ['an option that is none', { onInputs: () => {} } as object, 'BAD_OPTION'],
    ['an option of the appearance that is none', appearance({ step: 1 } as object), 'BAD_OPTION'],
    [
      'an option of a field that is none',
      appearance({ fields: { a: { type: 'int', maximum: 3 } } }),
      'BAD_OPTION',
    ],
    ['a limit that is none', { limits: { clients: 3 } as object }, 'BAD_OPTION'],
    ['a limit of 0', { limits: { clientsMax: 0 } }, 'BAD_OPTION'],
    ['frames that clients refuse', { limits: { frameBytesMax: 1 << 20 } }, 'BAD_OPTION'],
    ['frames of messages that clients refuse', { limits: { waitingBytesMax: 1 << 20 } }, 'BAD_OPTION'],
    ['messages that no frame has room for', { limits: { broadcastBytesMax: 65_537 } }, 'BAD_OPTION'],
  ])('is not made with %s', (_, options, code) => {
    expect(codeOf(() => new Gateway(new World(), { ...FINE, ...options }))).toBe(code);
  });
});

it.each<[Partial<Record<keyof AppearanceOptions, unknown>>, string]>([
  [
    { positionStep: undefined },
    'appearance.positionStep is undefined; expected a number above 0, in world units',
  ],
  [{ fields: 3 }, 'appearance.fields is 3; expected an object of declarations by name'],
  [
    { fields: { hp: { type: 'uint', max: 0 } } },
    'appearance.fields.hp.max is 0; expected an integer of 1 to 1024',
  ],
  [
    { fields: { hp: { typ: 'uint' } } },
    "'typ' is no option of appearance.fields.hp; expected some of type, ",
  ],
  [
    { fields: { hp: { type: 'uint', sense: 'smell' } } },
    "appearance.fields.hp.sense is 'smell'; expected sight",
  ],
  [{ bands: { all: 3 } }, "appearance.bands is 'all'; expected a name other than '', 'all' and 'owner'"],
  [{ bands: { far: -1 } }, 'appearance.bands.far is -1; expected a distance of at least 0, in world units'],
  [{ bands: { near: 3 }, nearDistance: 4 }, 'appearance.nearDistance is 4; expected none beside bands.near'],
])('the error says which option of the appearance is wrong: %o', (options, message) => {
  expect(() => new Gateway(new World(), { ...FINE, ...appearance(options) })).toThrow(message);
});

it('a gateway takes senses and dimensions from its world', async () => {
  const world = new World({ senses: ['smell', 'sight'], dimensions: 3 });
  const fields = { trail: { type: 'bool', sense: 'smell' } } as const;
  const gateway = new Gateway(world, { ...FINE, appearance: { positionStep: 1, fields } });
  expect([world.dimensions, world.senseNames]).toEqual([3, ['smell', 'sight']]);
  const id = world.add({ x: 0, y: 0, z: 0 });
  expect(codeOf(() => gateway.broadcast(id, new Uint8Array(1), { sense: 'hearing' }))).toBe('UNKNOWN_SENSE');
  gateway.broadcast(id, new Uint8Array(1), { sense: 'sight' });
  const misspelt = { senses: 'sight' };
  expect(codeOf(() => gateway.broadcast(id, new Uint8Array(1), misspelt as object))).toBe('BAD_OPTION');
  await gateway.drain();
});

describe('a field', () => {
  it.each<[string, unknown]>([
    ['flag', 1],
    ['count', 2 ** 31],
    ['count', 0.5],
    ['health', -1],
    ['health', 2 ** 32],
    ['speed', Number.POSITIVE_INFINITY],
    ['speed', 1e39],
    ['speed', '3'],
    ['name', 'äöü'],
    ['name', 3],
    ['nothing', 3],
    ['toString', 3],
  ])('%s is not set to %s', (name, value) => {
    const world = new World();
    const gateway = new Gateway(world, FINE);
    const id = world.add({ x: 0, y: 0 });
    gateway.set(id, { count: 1 });
    expect(codeOf(() => gateway.set(id, { count: 2, [name]: value as number }))).toBe('BAD_OPTION');
    expect(gateway.get(id, 'count')).toBe(1);
  });

  it('that is refused is told with what its type holds', () => {
    const world = new World();
    const gateway = new Gateway(world, FINE);
    const id = world.add({ x: 0, y: 0 });
    // Both are fine by JavaScript's measures: a finite number, and a string of three letters.
    expect(() => gateway.set(id, { speed: 1e40 })).toThrow(
      'speed is 1e+40; expected a number that is finite as float32',
    );
    expect(() => gateway.set(id, { name: 'ééé' })).toThrow(
      "name is 'ééé'; expected a string of at most 5 bytes of UTF-8",
    );
  });

  it('is what it was set to, and false, 0 or empty before', () => {
    const world = new World();
    const gateway = new Gateway(world, FINE);
    const id = world.add({ x: 0, y: 0 });
    const names = ['flag', 'count', 'health', 'speed', 'name'];
    expect(names.map((name) => gateway.get(id, name))).toEqual([false, 0, 0, 0, '']);
    gateway.set(id, { flag: true, count: -5, health: 2 ** 32 - 1, speed: 0.1, name: 'héro' });
    expect(names.map((name) => gateway.get(id, name))).toEqual([
      true,
      -5,
      2 ** 32 - 1,
      Math.fround(0.1),
      'héro',
    ]);
    expect(gateway.get(id, 'nothing')).toBeUndefined();
  });

  it('is not inherited by who comes to the slot next', () => {
    const world = new World();
    const gateway = new Gateway(world, FINE);
    const first = world.add({ x: 0, y: 0 });
    gateway.set(first, { health: 7, name: 'old' });
    world.remove(first);
    expect(codeOf(() => gateway.set(first, { health: 1 }))).toBe('STALE_ID');
    world.tick();
    // The world still knows its slot: its removal was just told of.
    expect(codeOf(() => gateway.set(first, { health: 1 }))).toBe('STALE_ID');
    expect(codeOf(() => gateway.setImportance(first, 2))).toBe('STALE_ID');
    expect(codeOf(() => gateway.broadcast(first, new Uint8Array(1)))).toBe('STALE_ID');
    world.tick();
    expect(codeOf(() => gateway.set(first, { health: 1 }))).toBe('STALE_ID');
    // Slots are handed out again once more than a thousand are free.
    for (let round = 0; round < 3; round++) {
      const crowd = world.addMany({ x: new Float32Array(3000), y: new Float32Array(3000) });
      const heir = crowd.find((id) => id >>> 10 === first >>> 10);
      if (heir !== undefined) {
        expect(heir).not.toBe(first);
        expect(gateway.get(heir, 'health')).toBe(0);
        expect(gateway.get(heir, 'name')).toBe('');
        return;
      }
      world.removeMany(crowd);
      world.tick();
      world.tick();
    }
    throw new Error('the slot was not handed out again');
  });

  it('that is set to what it was makes nobody hear of it', () => {
    const world = new World();
    const gateway = new Gateway(world, FINE);
    world.add({ x: 0, y: 0, range: 5 });
    const id = world.add({ x: 1, y: 0 });
    gateway.set(id, { speed: 0.1, count: 0 });
    world.tick();
    gateway.set(id, { speed: 0.1, name: '', flag: false });
    expect(world.tick().updatedCount).toBe(0);
    gateway.set(id, { speed: 0.2 });
    expect(world.tick().updatedCount).toBe(1);
  });
});

it('importance is a number above 0', () => {
  const world = new World();
  const gateway = new Gateway(world, FINE);
  const id = world.add({ x: 0, y: 0 });
  expect(codeOf(() => gateway.setImportance(id, 0))).toBe('BAD_OPTION');
  expect(codeOf(() => gateway.setImportance(id, Number.NaN))).toBe('BAD_OPTION');
  expect(codeOf(() => gateway.setImportance(id, 2))).toBe('none');
});

it('a watcher has one session', async () => {
  const world = new World();
  const [first, second] = [world.add({ x: 0, y: 0, range: 1 }), world.add({ x: 0, y: 0, range: 1 })];
  const gateway = new Gateway(world, { ...FINE, authenticate: ({ url }) => ({ watcher: Number(url) }) });
  const connection = { bufferedBytes: 0, send: () => {}, close: () => {}, terminate: () => {} };
  for (const watcher of [first, second]) {
    const request = { address: '', url: String(watcher), origin: undefined, headers: {} };
    gateway.accept(connection, request).received(Uint8Array.of(1, 2, 0, 0, 0));
  }
  const [session] = gateway.sessions;
  expect(codeOf(() => session?.attach(second))).toBe('BAD_OPTION');
  expect(session?.watcher).toBe(first);
  world.remove(second);
  expect(codeOf(() => session?.attach(first, second))).toBe('STALE_ID');
  world.tick();
  expect(codeOf(() => session?.attach(first, second))).toBe('STALE_ID');
  expect(codeOf(() => session?.attach(second))).toBe('STALE_ID');
  expect(session?.own).toBe(first);
  await gateway.drain();
});
