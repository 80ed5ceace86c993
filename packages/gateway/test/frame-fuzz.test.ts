/** A few thousand of what `npm run fuzz -- frames` sends by the million. */
import { expect, it } from 'vitest';
import { fuzzClient, fuzzGateway } from './frame-fuzz.ts';

it.each([1, 2, 3])('a client takes or refuses whatever it is sent: seed %i', (seed) => {
  const { taken, refused } = fuzzClient(seed, 4000);
  expect(Math.min(taken, refused)).toBeGreaterThan(300);
});

it.each([1, 2, 3])('a gateway lives with whatever it is sent: seed %i', async (seed) => {
  const { taken, refused } = await fuzzGateway(seed, 4000);
  expect(Math.min(taken, refused)).toBeGreaterThan(300);
});
