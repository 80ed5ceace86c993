/** A detector of the user's own may throw, and so may its factory: what came first is told, and nothing is lost. */
import { expect, test } from 'vitest';
import { sweep } from '../../src/detectors/sweep.ts';
import { type DetectorFactory, World } from '../../src/index.ts';

test('a detector that throws is made again by whoever needs it next, as soon as it can be', () => {
  const failures: string[] = [];
  const failing: DetectorFactory = (store) => {
    const failure = failures.shift();
    if (failure !== undefined) throw new Error(failure);
    const detector = sweep(store);
    return {
      name: 'failing',
      memoryBytes: 0,
      detect(...given) {
        detector.detect(...given);
        const late = failures.shift();
        if (late !== undefined) throw new Error(late);
      },
      collect: (...given) => detector.collect(...given),
      validate: (...given) => detector.validate(...given),
      describe: () => detector.describe(),
      dispose: () => detector.dispose?.(),
    };
  };
  const world = new World({ detector: failing });
  const [first, second] = world.addMany({ x: [0, 1], y: [0, 0], range: 5 });
  world.tick();
  world.move(second as number, 9, 0);
  failures.push('detecting', 'making', 'making again');
  expect(() => world.tick()).toThrow(/^detecting$/);
  expect(() => world.query({ kind: 'circle', x: 0, y: 0, radius: 5 })).toThrow(/^making$/);
  expect(() => world.tick()).toThrow(/^making again$/);
  const { tick, leftCount } = world.tick();
  expect([tick, leftCount, world.related(first as number, second as number)]).toEqual([2, 2, false]);
});

test('a factory that makes no detector is told so, and the world goes on with the one it has', () => {
  const factories: unknown[] = [() => undefined, () => null, () => 5];
  const world = new World();
  const [first, second] = world.addMany({ x: [0, 1], y: [0, 0], range: 5 });
  world.tick();
  for (const factory of factories) {
    const wrong = { code: 'BAD_OPTION', details: expect.objectContaining({ field: 'detector' }) };
    expect(() => world.setDetector(factory as DetectorFactory)).toThrow(expect.objectContaining(wrong));
    expect(() => new World({ detector: factory as DetectorFactory })).toThrow(expect.objectContaining(wrong));
  }
  expect(world.stats().detector).toBe('sweep');
  world.move(second as number, 9, 0);
  expect([world.tick().leftCount, world.related(first as number, second as number)]).toEqual([2, false]);
});

test('a detector that lacks a member, or has it of another type, is refused when it is made', () => {
  const whole = {
    name: 'own',
    memoryBytes: 0,
    detect: () => undefined,
    collect: () => undefined,
    validate: () => undefined,
    describe: () => '',
  };
  const lacking = Object.keys(whole).map((member) => [member, { ...whole, [member]: undefined }] as const);
  const wrong = ['collectPlaces', 'collectPerceived', 'sketch', 'dispose'].map(
    (member) => [member, { ...whole, [member]: 5 }] as const,
  );
  const world = new World();
  for (const [member, made] of [...lacking, ...wrong]) {
    const factory = (() => made) as unknown as DetectorFactory;
    const refusal = { code: 'BAD_OPTION', details: expect.objectContaining({ field: `detector.${member}` }) };
    expect(() => world.setDetector(factory)).toThrow(expect.objectContaining(refusal));
    expect(() => new World({ detector: factory })).toThrow(expect.objectContaining(refusal));
  }
  expect(world.stats().detector).toBe('sweep');
  world.setDetector(() => whole);
  expect(world.stats().detector).toBe('own');
});
