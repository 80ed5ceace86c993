/**
 * Flashes: which events make one, and how long it lasts.
 */
import { describe, expect, it } from 'vitest';
import { EVENT_ENTERED, EVENT_LEFT } from '../../src/feed-frame.ts';
import { Camera } from '../../src/page/camera.ts';
import { Crowd } from '../../src/page/crowd.ts';
import { PALETTES } from '../../src/page/palette.ts';
import { Flashes } from '../../src/page/view/flashes.ts';
import type { Marks } from '../../src/page/view/marks.ts';
import { tickFrame } from '../tick-frames.ts';

interface Ring {
  x: number;
  y: number;
  radius: number;
  opacity: number;
}

const count = 1000;
const ids = Uint32Array.from({ length: count }, (_, i) => i + 1);

/** Everybody on a line, ten units apart, all of it in sight. */
function createScene() {
  const crowd = new Crowd();
  const columns = { kinds: new Uint8Array(count), watchers: new Uint8Array(count) };
  crowd.takePopulation({ kind: 'population', tick: 1, populationVersion: 1, ids, ...columns });
  const positions = Float32Array.from({ length: count * 2 }, (_, i) => (i % 2 === 0 ? i * 5 : 0));
  crowd.takeTick(tickFrame({ tickMs: 0, positions, events: new Uint8Array(count) }));
  const camera = new Camera();
  camera.width = 10_000;
  camera.height = 100;
  camera.flyTo(5000, 0, 1, true);
  const between = crowd.between(1);
  const rings: Ring[] = [];
  const marks = {
    addRing: (x: number, y: number, radius: number, _width: number, _colour: unknown, opacity: number) => {
      rings.push({ x, y, radius, opacity });
    },
  } as unknown as Marks;
  const drawAt = (flashes: Flashes, nowMs: number): Ring[] => {
    rings.length = 0;
    flashes.draw(marks, crowd, between, camera, PALETTES.dark, nowMs);
    return [...rings];
  };
  const flash = (flashes: Flashes, events: Uint8Array, spacing: number, strength = 1) =>
    flashes.addAmbient(events, crowd, between, camera, spacing, strength, 0);
  return { crowd, drawAt, flash };
}

const everybody = new Uint8Array(count).fill(EVENT_ENTERED);

describe('flashes', () => {
  it('of everybody are left out where entities cannot be told apart', () => {
    const { flash } = createScene();
    const flashes = new Flashes();
    flash(flashes, everybody, 10);
    expect(flashes.isEmpty).toBe(true);
    flash(flashes, everybody, 40);
    expect(flashes.isEmpty).toBe(false);
  });

  it('are where their entities are, and only theirs', () => {
    const { drawAt, flash } = createScene();
    const flashes = new Flashes();
    const events = new Uint8Array(count);
    events[3] = EVENT_ENTERED;
    events[700] = EVENT_LEFT;
    flash(flashes, events, 60);
    expect(drawAt(flashes, 100).map(({ x, y }) => [x, y])).toEqual([
      [30, 50],
      [7000, 50],
    ]);
  });

  it('close in on who came, open from who went, and fade', () => {
    const { drawAt } = createScene();
    const flashes = new Flashes();
    flashes.addOwn(1, true, 0, 0, 0);
    flashes.addOwn(2, false, 10, 0, 0);
    const [come, gone] = drawAt(flashes, 100) as [Ring, Ring];
    const [comeLater, goneLater] = drawAt(flashes, 400) as [Ring, Ring];
    expect(comeLater.radius).toBeLessThan(come.radius);
    expect(goneLater.radius).toBeGreaterThan(gone.radius);
    expect(comeLater.opacity).toBeLessThan(come.opacity);
    expect(drawAt(flashes, 5000)).toEqual([]);
    expect(flashes.isEmpty).toBe(true);
  });

  it('are bounded, and fainter the more there are', () => {
    const { drawAt, flash } = createScene();
    const few = new Flashes();
    const events = new Uint8Array(count);
    events[3] = EVENT_ENTERED;
    flash(few, events, 60);
    const many = new Flashes();
    for (let i = 0; i < 50; i++) flash(many, everybody, 60);
    const rings = drawAt(many, 100);
    expect(rings.length).toBeLessThanOrEqual(2048);
    expect(rings[0]?.opacity).toBeLessThan(drawAt(few, 100)[0]?.opacity ?? 0);
  });

  it('of one that is gone stay where it was last seen', () => {
    const { drawAt } = createScene();
    const flashes = new Flashes();
    flashes.addOwn(999_999, false, 123, 0, 0);
    expect(drawAt(flashes, 10)[0]).toMatchObject({ x: 123, y: 50 });
  });
});
