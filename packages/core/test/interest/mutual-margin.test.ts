/**
 * Mutual consent beside a margin: a seat that the margin holds ends beyond it, even in a row in which another seat awaits consent
 * and nothing crosses.
 */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';
import { numbersFrom } from './searched-lives.ts';

const SIDE = 100;
const MARGIN = 3;
const ENTITIES = 80;
const TICKS = 45;

/** How many pairs are related beyond reach and margin, over all ticks of a walk. */
function countTooFar(seed: number): { related: number; tooFar: number } {
  const random = numbersFrom(seed);
  const interest = { leaveMargin: MARGIN, minDwellTicks: 6, mutual: true };
  const world = new World({ interests: { default: interest } });
  const walkers = Array.from({ length: ENTITIES }, () => {
    const range = random() < 0.33 ? 14 : 28;
    const init = { x: random() * SIDE, y: random() * SIDE, range, cap: 1 + Math.floor(random() * 30) };
    return { ...init, id: world.add(init), dx: (random() - 0.5) * 0.7, dy: (random() - 0.5) * 0.7 };
  });
  const byId = new Map(walkers.map((walker) => [walker.id, walker]));
  let [related, tooFar] = [0, 0];
  for (let tick = 0; tick < TICKS; tick++) {
    world.tick();
    for (const watcher of walkers) {
      for (const id of world.visibleTo(watcher.id)) {
        const marker = byId.get(id)!;
        related++;
        const distance = Math.hypot(marker.x - watcher.x, marker.y - watcher.y);
        if (distance > watcher.range + MARGIN + 1e-3) tooFar++;
      }
    }
    for (const walker of walkers) {
      walker.x += walker.dx;
      walker.y += walker.dy;
      if (walker.x < 0 || walker.x > SIDE) walker.dx = -walker.dx;
      if (walker.y < 0 || walker.y > SIDE) walker.dy = -walker.dy;
      world.move(walker.id, walker.x, walker.y);
    }
  }
  return { related, tooFar };
}

test('mutual seats that the margin holds end beyond it', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { related, tooFar } = countTooFar(seed * 7919);
    expect(related).toBeGreaterThan(1000);
    expect(tooFar, `seed ${seed}`).toBe(0);
  }
});

test('explain names consent where a full row loses it while only the margin holds the seat', () => {
  const full = { cap: 2, leaveMargin: 5, incumbentBonus: 0.5, mutual: true };
  const world = new World({ interests: { default: full, near: { mutual: true } } });
  const watcher = world.add({ x: 0, y: 0, range: 20 });
  const other = world.add({ x: 18, y: 0, range: 21, interest: 'near' });
  for (const x of [5, 19.5]) world.add({ x, y: 0 });
  world.tick();
  expect(world.related(watcher, other)).toBe(true);
  world.move(other, 21.5, 0);
  world.tick();
  expect(world.explain(watcher, other)).toMatchObject({ related: false, rule: 'mutual' });
});

test('a seat that lost consent while only the margin held it is over with the next tick, even if nothing happens in it', () => {
  const world = new World({ interests: { default: { leaveMargin: 5, mutual: true } } });
  const watcher = world.add({ x: 0, y: 0, range: 20 });
  const other = world.add({ x: 12, y: 0, range: 14 });
  world.tick();
  expect(world.related(watcher, other)).toBe(true);
  world.move(watcher, -9, 0);
  world.tick();
  expect(world.explain(watcher, other).rule).toBe('mutual');
  world.tick();
  expect(world.explain(watcher, other).rule).toBe('range');
});
