/**
 * The page's camera: looks from above, with north (+y) up.
 *
 * World coordinates are float64 here and become pixels before they become float32, so a world far from its origin does not
 * jitter. A panel may cover part of the canvas; the camera centres on the part that is left. Wheel and keys add to a motion
 * that `advance` performs over about a tenth of a second; a drag acts at once; a flight goes to a place and a scale. Pixels
 * are CSS pixels, y down.
 */
import type { Bounds } from '../feed-message.ts';

const MOTION_MS = 70;
const FLIGHT_MS = 420;
/** Margin around fitted bounds, as a fraction of the canvas. */
const FIT_MARGIN = 0.04;
/** Points nearer to an edge than this count as out of sight. */
const SIGHT_PX = 40;

interface Flight {
  readonly fromX: number;
  readonly fromY: number;
  readonly fromScale: number;
  readonly toX: number;
  readonly toY: number;
  readonly toScale: number;
  elapsedMs: number;
}

export class Camera {
  /** World point at the centre of the free part of the canvas. */
  x = 0;
  y = 0;
  /** CSS pixels per world unit. */
  scale = 1;
  width = 1;
  height = 1;
  /** Covered margins of the canvas, in CSS pixels. */
  insets = { left: 0, right: 0, top: 0, bottom: 0 };
  /** If true, there are no animations: all motion is immediate. */
  isStill = false;
  /** Whether it shows all of the bounds, or is moving there: nothing has moved it since `fit`. */
  isFitted = false;
  #minScale = 1e-9;
  #maxScale = 1e9;
  #pendingZoom = 0;
  #anchorX = 0;
  #anchorY = 0;
  #pendingX = 0;
  #pendingY = 0;
  #flight: Flight | undefined;

  /** Canvas position of the camera's world point. */
  get originX(): number {
    return (this.insets.left + this.width - this.insets.right) / 2;
  }

  get originY(): number {
    return (this.insets.top + this.height - this.insets.bottom) / 2;
  }

  screenX(worldX: number): number {
    return this.originX + (worldX - this.x) * this.scale;
  }

  screenY(worldY: number): number {
    return this.originY - (worldY - this.y) * this.scale;
  }

  worldX(screenX: number): number {
    return this.x + (screenX - this.originX) / this.scale;
  }

  worldY(screenY: number): number {
    return this.y - (screenY - this.originY) / this.scale;
  }

  /** The scale that shows all of `bounds`. */
  fittingScale(bounds: Bounds): number {
    const free = 1 - 2 * FIT_MARGIN;
    const freeWidth = Math.max(50, this.width - this.insets.left - this.insets.right) * free;
    const freeHeight = Math.max(50, this.height - this.insets.top - this.insets.bottom) * free;
    const spanX = Math.max(bounds.maxX - bounds.minX, 1e-6);
    const spanY = Math.max(bounds.maxY - bounds.minY, 1e-6);
    return Math.min(freeWidth / spanX, freeHeight / spanY);
  }

  /** Moves to show all of `bounds`; zooming stays near them. */
  fit(bounds: Bounds, atOnce = false): void {
    const fitting = this.fittingScale(bounds);
    this.#minScale = fitting / 20;
    this.#maxScale = fitting * 10_000;
    this.flyTo((bounds.minX + bounds.maxX) / 2, (bounds.minY + bounds.maxY) / 2, fitting, atOnce);
    this.isFitted = true;
  }

  /** `scale` is limited as zooming is. */
  flyTo(toX: number, toY: number, scale = this.scale, atOnce = false): void {
    const toScale = Math.min(this.#maxScale, Math.max(this.#minScale, scale));
    this.isFitted = false;
    this.#pendingZoom = 0;
    this.#pendingX = 0;
    this.#pendingY = 0;
    this.#flight = { fromX: this.x, fromY: this.y, fromScale: this.scale, toX, toY, toScale, elapsedMs: 0 };
    if (atOnce || this.isStill) this.advance(FLIGHT_MS);
  }

  /** Moves to a point of the canvas if it is not well inside the free part. */
  bringIntoSight(screenX: number, screenY: number): void {
    const { left, right, top, bottom } = this.insets;
    const isInSight =
      screenX > left + SIGHT_PX &&
      screenX < this.width - right - SIGHT_PX &&
      screenY > top + SIGHT_PX &&
      screenY < this.height - bottom - SIGHT_PX;
    if (!isInSight) this.flyTo(this.worldX(screenX), this.worldY(screenY));
  }

  /** Moves the picture by that many pixels, at once. */
  dragBy(dx: number, dy: number): void {
    this.isFitted = false;
    this.#flight = undefined;
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  /** Moves the camera by that many pixels, smoothly. */
  glideBy(dx: number, dy: number): void {
    this.isFitted = false;
    this.#flight = undefined;
    this.#pendingX += dx;
    this.#pendingY += dy;
  }

  /** Zooms about a point of the canvas. */
  zoomBy(factor: number, anchorX = this.originX, anchorY = this.originY, atOnce = false): void {
    this.isFitted = false;
    this.#flight = undefined;
    this.#anchorX = anchorX;
    this.#anchorY = anchorY;
    this.#pendingZoom += Math.log(factor);
    if (atOnce) {
      this.#zoomNow(this.#pendingZoom);
      this.#pendingZoom = 0;
    }
  }

  /** The scale at which a range of that many world units takes up half of the free part. */
  scaleFor(range: number): number {
    const freeWidth = this.width - this.insets.left - this.insets.right;
    const freeHeight = this.height - this.insets.top - this.insets.bottom;
    return Math.max(50, Math.min(freeWidth, freeHeight)) / (4 * range);
  }

  /** Performs the motion of `elapsedMs`. True while there is more. */
  advance(elapsedMs: number): boolean {
    const share = this.isStill ? 1 : 1 - Math.exp(-elapsedMs / MOTION_MS);
    this.#advanceFlight(elapsedMs);
    if (this.#pendingZoom !== 0) {
      const part = Math.abs(this.#pendingZoom) < 1e-3 ? this.#pendingZoom : this.#pendingZoom * share;
      this.#zoomNow(part);
      this.#pendingZoom -= part;
    }
    if (this.#pendingX !== 0 || this.#pendingY !== 0) {
      const isLast = Math.hypot(this.#pendingX, this.#pendingY) < 0.5;
      const partX = isLast ? this.#pendingX : this.#pendingX * share;
      const partY = isLast ? this.#pendingY : this.#pendingY * share;
      this.x += partX / this.scale;
      this.y -= partY / this.scale;
      this.#pendingX -= partX;
      this.#pendingY -= partY;
    }
    return (
      this.#flight !== undefined || this.#pendingZoom !== 0 || this.#pendingX !== 0 || this.#pendingY !== 0
    );
  }

  #advanceFlight(elapsedMs: number): void {
    const flight = this.#flight;
    if (flight === undefined) return;
    flight.elapsedMs += elapsedMs;
    const time = Math.min(1, flight.elapsedMs / FLIGHT_MS);
    const eased = 1 - (1 - time) ** 3;
    // The centre moves in step with the scale, so that a flight zooms about a fixed point instead of swinging.
    const scale = flight.fromScale * (flight.toScale / flight.fromScale) ** eased;
    const isZoom = Math.abs(flight.toScale / flight.fromScale - 1) > 1e-3;
    const way = isZoom
      ? (1 / flight.fromScale - 1 / scale) / (1 / flight.fromScale - 1 / flight.toScale)
      : eased;
    this.x = flight.fromX + (flight.toX - flight.fromX) * way;
    this.y = flight.fromY + (flight.toY - flight.fromY) * way;
    this.scale = scale;
    if (time === 1) {
      this.x = flight.toX;
      this.y = flight.toY;
      this.scale = flight.toScale;
      this.#flight = undefined;
    }
  }

  #zoomNow(logarithm: number): void {
    const before = this.scale;
    this.scale = Math.min(this.#maxScale, Math.max(this.#minScale, before * Math.exp(logarithm)));
    const anchorDx = this.#anchorX - this.originX;
    const anchorDy = this.#anchorY - this.originY;
    this.x += anchorDx / before - anchorDx / this.scale;
    this.y -= anchorDy / before - anchorDy / this.scale;
  }
}
