/**
 * Whom the keys walk to.
 */
import { describe, expect, it } from 'vitest';
import { Crowd } from '../../src/page/crowd.ts';
import { firstWatcher, nextIndex } from '../../src/page/walk.ts';
import { tickFrame } from '../tick-frames.ts';

interface Someone {
  readonly x: number;
  readonly isWatcher: boolean;
  /** How far it goes from each tick to the next. */
  readonly step?: number;
}

function crowdOf(...someones: Someone[]): Crowd {
  const crowd = new Crowd();
  const ids = Uint32Array.from(someones, (_, i) => 1025 + i * 1024);
  crowd.takePopulation({
    ...{ kind: 'population', tick: 1, populationVersion: 1, ids, kinds: new Uint8Array(ids.length) },
    watchers: Uint8Array.from(someones, ({ isWatcher }) => Number(isWatcher)),
  });
  for (let tick = 1; tick <= 2; tick++) {
    const positions = Float32Array.from(someones.flatMap(({ x, step = 0 }) => [x + step * tick, 0]));
    const events = new Uint8Array(ids.length);
    crowd.takeTick(tickFrame({ tick, timeMs: tick * 50, positions, events }));
  }
  return crowd;
}

const still = (x: number) => ({ x, isWatcher: true });
const moving = (x: number) => ({ x, isWatcher: true, step: 1 });
const marker = { x: 0, isWatcher: false, step: 1 };

describe('the first one walked to', () => {
  it('is the nearest of the watchers that move', () => {
    expect(firstWatcher(crowdOf(still(0), moving(50), marker, moving(30), moving(-60)), 2, 0, 0)).toBe(3);
  });

  it('is the nearest of those that stand, where none moves', () => {
    expect(firstWatcher(crowdOf(still(90), marker, still(-10), still(40)), 2, 0, 0)).toBe(2);
  });

  it('is nobody where nobody watches', () => {
    expect(firstWatcher(crowdOf(marker), 2, 0, 0)).toBe(-1);
    expect(firstWatcher(new Crowd(), 0, 0, 0)).toBe(-1);
  });
});

describe('the next one', () => {
  const crowd = crowdOf(still(0), marker, still(5), marker);

  it('is the next by id, around, of watchers or of all', () => {
    expect(nextIndex(crowd, 0, 1, 'watchers')).toBe(2);
    expect(nextIndex(crowd, 2, 1, 'watchers')).toBe(0);
    expect(nextIndex(crowd, 0, -1, 'watchers')).toBe(2);
    expect(nextIndex(crowd, 0, 1, 'anybody')).toBe(1);
    expect(nextIndex(crowd, 0, -1, 'anybody')).toBe(3);
  });

  it('is one that moves, where any watcher does', () => {
    const mixed = crowdOf(still(0), moving(5), still(9), marker, moving(20));
    expect(nextIndex(mixed, 0, 1, 'watchers')).toBe(1);
    expect(nextIndex(mixed, 1, 1, 'watchers')).toBe(4);
    expect(nextIndex(mixed, 4, 1, 'watchers')).toBe(1);
    expect(nextIndex(mixed, 1, -1, 'watchers')).toBe(4);
  });

  it('is the first or the last where none was', () => {
    expect(nextIndex(crowd, -1, 1, 'anybody')).toBe(0);
    expect(nextIndex(crowd, -1, -1, 'anybody')).toBe(3);
  });

  it('is nobody where there is none', () => {
    expect(nextIndex(new Crowd(), -1, 1, 'anybody')).toBe(-1);
    expect(nextIndex(crowdOf(marker), 0, 1, 'watchers')).toBe(-1);
  });
});
