/**
 * Short rings that show events: a ring closes in on a marker that entered a watcher's view, and a ring opens and fades around
 * one that left it.
 *
 * Events of the selected watcher flash large, at any zoom. Those of other watchers flash small, and only when entities can be
 * told apart; the more at once, the fainter. At most `FLASHES_MAX` at a time; the oldest are dropped. A flash follows its
 * entity; if the entity is removed, the flash stays at its last position.
 */
import { EVENT_ENTERED, EVENT_LEFT } from '../../feed-frame.ts';
import type { Camera } from '../camera.ts';
import type { Between, Crowd } from '../crowd.ts';
import { colourOf, type Palette } from '../palette.ts';
import type { Marks } from './marks.ts';

const FLASHES_MAX = 2048;
const FLASH_MS = 650;
/** Maximum flashes of other watchers per tick; the rest is left out, evenly. */
const AMBIENT_MAX = 300;

interface Flash {
  readonly id: number;
  readonly isEnter: boolean;
  readonly isOwn: boolean;
  readonly startMs: number;
  readonly strength: number;
  x: number;
  y: number;
}

export class Flashes {
  readonly #flashes: Flash[] = [];
  readonly #place = new Float64Array(3);

  get isEmpty(): boolean {
    return this.#flashes.length === 0;
  }

  /** An event of the selected watcher. `x` and `y`: the marker's last position. */
  addOwn(id: number, isEnter: boolean, x: number, y: number, nowMs: number): void {
    this.#add({ id, isEnter, isOwn: true, startMs: nowMs, strength: 1, x, y });
  }

  /**
   * All watchers' events of a tick, of entities in view. `spacingPx`: mean distance of entities on the screen; `strength`: 1, or
   * less to stay behind something else.
   */
  addAmbient(
    events: Uint8Array,
    crowd: Crowd,
    between: Between,
    camera: Camera,
    spacingPx: number,
    strength: number,
    nowMs: number,
  ): void {
    if (spacingPx < 18) return;
    const nearness = Math.min(1, (spacingPx - 18) / 30);
    const found: Flash[] = [];
    for (let i = 0; i < events.length; i++) {
      const bits = events[i] as number;
      if ((bits & (EVENT_ENTERED | EVENT_LEFT)) === 0) continue;
      crowd.placeInto(i, between, this.#place);
      const [x, y] = this.#place as unknown as [number, number];
      const screenX = camera.screenX(x);
      const screenY = camera.screenY(y);
      if (screenX < 0 || screenY < 0 || screenX > camera.width || screenY > camera.height) continue;
      const isEnter = (bits & EVENT_ENTERED) !== 0;
      found.push({
        id: crowd.ids[i] as number,
        isEnter,
        isOwn: false,
        startMs: nowMs,
        strength: nearness,
        x,
        y,
      });
    }
    const stride = Math.ceil(found.length / AMBIENT_MAX);
    const share = (strength * nearness) / (1 + found.length / 60);
    for (let i = 0; i < found.length; i += stride) this.#add({ ...(found[i] as Flash), strength: share });
  }

  draw(marks: Marks, crowd: Crowd, between: Between, camera: Camera, palette: Palette, nowMs: number): void {
    const enter = colourOf(palette.enter);
    const leave = colourOf(palette.leave);
    while (this.#flashes.length > 0 && nowMs - (this.#flashes[0] as Flash).startMs > FLASH_MS)
      this.#flashes.shift();
    for (const flash of this.#flashes) {
      const index = crowd.indexOf(flash.id);
      if (index >= 0) {
        crowd.placeInto(index, between, this.#place);
        flash.x = this.#place[0] as number;
        flash.y = this.#place[1] as number;
      }
      const age = Math.max(0, (nowMs - flash.startMs) / FLASH_MS);
      const eased = 1 - (1 - age) ** 3;
      const reach = flash.isOwn ? 18 : 9;
      const radius = flash.isEnter ? 6 + reach * (1 - eased) : 4 + reach * eased;
      const opacity = flash.strength * (1 - age) * (flash.isOwn ? 1 : 0.55);
      const width = flash.isOwn ? 2 : 1.2;
      marks.addRing(
        camera.screenX(flash.x),
        camera.screenY(flash.y),
        radius,
        width,
        flash.isEnter ? enter : leave,
        opacity,
      );
    }
  }

  clear(): void {
    this.#flashes.length = 0;
  }

  #add(flash: Flash): void {
    if (this.#flashes.length === FLASHES_MAX) this.#flashes.shift();
    this.#flashes.push(flash);
  }
}
