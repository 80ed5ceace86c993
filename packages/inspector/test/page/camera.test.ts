/**
 * Where the page looks, and how it gets there.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Camera } from '../../src/page/camera.ts';

const bounds = { minX: -50, minY: 10, maxX: 350, maxY: 110 };

function createCamera(): Camera {
  const camera = new Camera();
  camera.width = 1000;
  camera.height = 600;
  camera.insets = { left: 0, right: 300, top: 50, bottom: 0 };
  camera.fit(bounds, true);
  return camera;
}

function settle(camera: Camera): void {
  let frames = 0;
  while (camera.advance(16)) if (++frames > 1000) throw new Error('the camera never comes to rest');
}

describe('the camera', () => {
  it('shows all of the bounds in the part that nothing covers, north up', () => {
    const camera = createCamera();
    expect(camera.screenX(bounds.minX)).toBeGreaterThan(0);
    expect(camera.screenX(bounds.maxX)).toBeLessThan(700);
    expect(camera.screenY(bounds.maxY)).toBeGreaterThan(50);
    expect(camera.screenY(bounds.minY)).toBeLessThan(600);
    expect(camera.screenY(bounds.maxY)).toBeLessThan(camera.screenY(bounds.minY));
    // As large as that allows.
    expect(camera.screenX(bounds.maxX) - camera.screenX(bounds.minX)).toBeGreaterThan(0.9 * 700);
  });

  it('shows bounds without extent', () => {
    const camera = createCamera();
    camera.fit({ minX: 5, minY: 5, maxX: 5, maxY: 5 }, true);
    expect(Number.isFinite(camera.scale)).toBe(true);
    expect(camera.screenX(5)).toBeCloseTo(350);
  });

  it('finds on the screen what it finds in the world', () => {
    const camera = createCamera();
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1000, noNaN: true }),
        fc.double({ min: 0, max: 600, noNaN: true }),
        (x, y) => {
          expect(camera.screenX(camera.worldX(x))).toBeCloseTo(x, 6);
          expect(camera.screenY(camera.worldY(y))).toBeCloseTo(y, 6);
        },
      ),
    );
  });

  it('keeps what is under the pointer while it zooms, at once or little by little', () => {
    for (const atOnce of [true, false]) {
      const camera = createCamera();
      const x = camera.worldX(200);
      const y = camera.worldY(400);
      const before = camera.scale;
      camera.zoomBy(3, 200, 400, atOnce);
      settle(camera);
      expect(camera.scale).toBeCloseTo(before * 3, 6);
      expect(camera.screenX(x)).toBeCloseTo(200, 6);
      expect(camera.screenY(y)).toBeCloseTo(400, 6);
    }
  });

  it('zooms neither beyond sight of the world nor without end', () => {
    const camera = createCamera();
    const fitting = camera.scale;
    for (let i = 0; i < 50; i++) camera.zoomBy(1 / 10, 350, 300, true);
    expect(camera.scale).toBeCloseTo(fitting / 20, 9);
    for (let i = 0; i < 50; i++) camera.zoomBy(10, 350, 300, true);
    expect(camera.scale).toBeCloseTo(fitting * 10_000, 0);
  });

  it('follows a drag exactly', () => {
    const camera = createCamera();
    const x = camera.worldX(200);
    const y = camera.worldY(400);
    camera.dragBy(33, -21);
    expect(camera.screenX(x)).toBeCloseTo(233);
    expect(camera.screenY(y)).toBeCloseTo(379);
  });

  it('glides as far as it is told', () => {
    const camera = createCamera();
    const x = camera.worldX(200);
    camera.glideBy(90, 0);
    expect(camera.screenX(x)).toBeCloseTo(200);
    settle(camera);
    expect(camera.screenX(x)).toBeCloseTo(110, 6);
  });

  it('arrives where it flies to, zooming without overshoot', () => {
    const camera = createCamera();
    camera.flyTo(40, 50, camera.scale * 12);
    const goal = camera.scale * 12;
    let last = camera.scale;
    while (camera.advance(16)) {
      expect(camera.scale).toBeGreaterThanOrEqual(last);
      last = camera.scale;
    }
    expect([camera.x, camera.y, camera.scale]).toEqual([40, 50, goal]);
  });

  it('is there at once when motion is unwanted', () => {
    const camera = createCamera();
    camera.isStill = true;
    camera.flyTo(7, 8);
    expect([camera.x, camera.y]).toEqual([7, 8]);
    camera.zoomBy(2);
    expect(camera.advance(1)).toBe(false);
  });
});
