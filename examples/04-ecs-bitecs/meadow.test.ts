/** Checks that an ECS's columns and plain arrays give the same world, and that the world is a living one. */
import { expect, test } from 'vitest';
import { outputOf } from '../example-process.ts';
import { meadowWithBitecs } from './with-bitecs.ts';
import { meadowWithPlainArrays } from './with-plain-arrays.ts';

test('the example shows a living meadow', async () => {
  const lines = (await outputOf('04-ecs-bitecs')).trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  for (const line of lines) expect(line).toMatch(/[1-9]\d* moved, \d+ eaten, wolves see [1-9]\d* sheep/);
});

test('both report the same through births and deaths, and count what wolves have in sight alike', () => {
  const inBitecs = meadowWithBitecs();
  const inPlainArrays = meadowWithPlainArrays();
  let eaten = 0;
  for (let tick = 0; tick < 400; tick++) {
    const one = inBitecs.next().value;
    expect(inPlainArrays.next().value).toEqual(one);
    eaten += one.eaten;
  }
  expect(eaten).toBeGreaterThan(100);
});
