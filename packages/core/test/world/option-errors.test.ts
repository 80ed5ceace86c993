/** What can be said wrongly when a world is made, restored or given another detector. */
import { describe, expect, test } from 'vitest';
import { type DetectorName, World, type WorldOptions } from '../../src/index.ts';
import { expectFault, expectOptionFault, type Fault } from './faults.ts';

/** Those for which `null` is no value, nor absent. */
const OPTION_NAMES = [
  'dimensions',
  'senses',
  'rangeShape',
  'rangeRatio',
  'detector',
  'granularity',
  'cellSize',
  'capacity',
  'interests',
  'groups',
  'threads',
] as const;

describe('options of a world', () => {
  test.each([
    ['dimensions', 4],
    ['dimensions', '2'],
    ['senses', []],
    ['senses', Array.from({ length: 9 }, (_, i) => `sense ${i}`)],
    ['senses', ['sight', 'sight']],
    ['senses', ['']],
    ['senses', [7]],
    ['rangeShape', 'hexagon'],
    ['rangeShape', 'cylinder'],
    ['rangeRatio', [1]],
    ['rangeRatio', [1, 0]],
    ['rangeRatio', [1, -1]],
    ['rangeRatio', [1, Number.NaN]],
    ['cellSize', 0],
    ['cellSize', -5],
    ['cellSize', Number.NaN],
    ['cellSize', [1, 0]],
    ['cellSize', [undefined, 1]],
    ['capacity', -1],
    ['capacity', 1.5],
    ['capacity', Number.NaN],
    ['detector', 7],
    ['detector', {}],
    ['interests', []],
    ['interests', new Map()],
  ])('%s: %o is a BAD_OPTION', (field, value) => {
    expectOptionFault({ [field]: value }, { code: 'BAD_OPTION', details: { field } });
  });

  test.each([[[]], [new Map()], [new Set()], [new Date()], [Promise.resolve()], [null], ['x']])(
    '%o in place of all of them is a BAD_OPTION',
    (options) => {
      expectOptionFault(options, { code: 'BAD_OPTION', details: { field: 'options', value: options } });
    },
  );

  test('a world in place of all of them is a BAD_OPTION, which says that a world was given', () => {
    const world = new World();
    expect(() => new World(world as never)).toThrow(
      'options: an object (World) was given, expected an object of WorldOptions',
    );
  });

  test('an object of any class is as good as a plain one', () => {
    class Rules {
      cap = 3;
    }
    const frozen = Object.freeze(Object.assign(Object.create(null), { default: new Rules() }));
    const world = new World({ interests: frozen });
    world.setInterest('other', new Proxy(new Rules(), {}));
    const id = world.add(Object.assign(new Rules(), { x: 0, y: 0 }));
    expect(world.has(id)).toBe(true);
  });

  test.each(OPTION_NAMES)('%s: null is a BAD_OPTION', (name) => {
    expectOptionFault({ [name]: null }, { code: 'BAD_OPTION' });
  });

  test('an unknown key is a BAD_OPTION that names it', () => {
    expectOptionFault(
      { rangeshape: 'box' },
      { code: 'BAD_OPTION', details: { field: 'rangeshape', value: 'box' } },
    );
  });

  test('an unknown detector is an UNKNOWN_DETECTOR', () => {
    const details = { field: 'detector', value: 'hexgrid' };
    expectOptionFault({ detector: 'hexgrid' }, { code: 'UNKNOWN_DETECTOR', details });
    expectOptionFault({ detector: 'toString' }, { code: 'UNKNOWN_DETECTOR', details: { field: 'detector' } });
    const cells = { granularity: 'cell', cellSize: 5 };
    expectOptionFault({ detector: 'hexgrid', ...cells }, { code: 'UNKNOWN_DETECTOR', details });
  });
});

describe('another detector', () => {
  test.each([[5], [null], [{}], [['sweep']], [Symbol('sweep')]])(
    '%o is a BAD_OPTION wherever it is given',
    (value) => {
      const detector = value as never;
      const fault: Fault = { code: 'BAD_OPTION', details: { field: 'detector', value } };
      expectOptionFault({ detector }, fault);
      expectFault(({ world }) => world.setDetector(detector), fault);
      expectFault(({ world }) => World.restore(world.snapshot(), { detector }), fault);
    },
  );

  test.each(['', 'hexgrid', 'toString'])("'%s' is an UNKNOWN_DETECTOR wherever it is given", (value) => {
    const detector = value as never;
    const fault: Fault = { code: 'UNKNOWN_DETECTOR', details: { field: 'detector', value } };
    expectOptionFault({ detector }, fault);
    expectFault(({ world }) => world.setDetector(detector), fault);
    expectFault(({ world }) => World.restore(world.snapshot(), { detector }), fault);
  });
});

describe('granularity by cells', () => {
  const cells = (detector: DetectorName): WorldOptions => ({ granularity: 'cell', cellSize: 5, detector });

  test('a detector that cannot is told which can', () => {
    expect(() => new World(cells('sweep'))).toThrow(/expected nine-grid or tower or cross-list$/);
    expect(() => new World(cells('nine-grid')).setDetector('sweep')).toThrow(/expected nine-grid$/);
    expect(() => new World(cells('tower')).setDetector('nine-grid')).toThrow(/expected tower or cross-list$/);
  });
});
