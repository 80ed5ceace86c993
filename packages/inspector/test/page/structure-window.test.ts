/**
 * Which part of the world the page asks the structure of.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { Camera } from '../../src/page/camera.ts';
import { StructureWindow } from '../../src/page/structure-window.ts';

describe('the window of the structure', () => {
  let camera: Camera;
  let window: StructureWindow;

  beforeEach(() => {
    camera = new Camera();
    camera.width = 800;
    camera.height = 400;
    camera.fit({ minX: 0, minY: 0, maxX: 800, maxY: 400 }, true);
    camera.flyTo(1000, 500, 2, true);
    window = new StructureWindow();
  });

  it('is what is in sight and a quarter of it around', () => {
    expect(window.next(camera, false, 0)).toEqual({ minX: 700, minY: 350, maxX: 1300, maxY: 650 });
    expect(window.serves(camera, false)).toBe(true);
    expect(window.next(camera, false, 1000)).toBeUndefined();
  });

  it('stays while sight stays in it, and is another when sight leaves it', () => {
    window.next(camera, false, 0);
    camera.dragBy(-150, 60);
    expect(window.next(camera, false, 1000)).toBeUndefined();
    camera.dragBy(-80, 0);
    expect(window.next(camera, false, 1000)).toMatchObject({ minX: 700 + 115, maxX: 1300 + 115 });
  });

  it('is another when sight has become a small part of it, sooner when not all of it came', () => {
    window.next(camera, true, 0);
    camera.flyTo(1000, 500, 2.1, true);
    expect(window.serves(camera, true)).toBe(true);
    camera.flyTo(1000, 500, 2.5, true);
    expect(window.serves(camera, true)).toBe(false);
    expect(window.serves(camera, false)).toBe(true);
    camera.flyTo(1000, 500, 5, true);
    expect(window.serves(camera, false)).toBe(false);
    expect(window.next(camera, false, 1000)).toEqual({ minX: 880, minY: 440, maxX: 1120, maxY: 560 });
  });

  it('is asked at most a few times a second, and at the end of a motion', () => {
    let asked = 0;
    let isPending = false;
    for (let nowMs = 0; nowMs < 1000; nowMs += 10) {
      camera.dragBy(-300, 0);
      if (window.next(camera, false, nowMs) !== undefined) asked++;
      isPending = !window.serves(camera, false);
    }
    expect(asked).toBeLessThan(10);
    expect(isPending).toBe(true);
    expect(window.next(camera, false, 1200)).toBeDefined();
    expect(window.serves(camera, false)).toBe(true);
  });

  it('is asked at once after it has been forgotten', () => {
    window.next(camera, false, 0);
    window.clear();
    expect(window.next(camera, false, 1)).toBeDefined();
  });
});
