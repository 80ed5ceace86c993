/**
 * Where the page looks by itself: it goes to whom a key walks to, keeps the followed in the middle, and, before anybody has
 * said where to look, follows somebody who moves.
 */
import type { Camera } from './camera.ts';
import { firstLook } from './first-look.ts';
import type { Intake } from './intake.ts';
import type { Store } from './store.ts';
import { firstWatcher, nextIndex, type Whom } from './walk.ts';

const FOLLOW_MS = 120;
/** The followed is to be seen whole: so much of the picture its range takes up, against half when it is gone to. */
const FIRST_LOOK_NEARNESS = 1.15;

export class Travel {
  readonly #store: Store;
  readonly #camera: Camera;
  readonly #intake: Intake;
  /** The selected, while it is to be gone to as soon as the feed has told how far it perceives; 0: nobody. */
  #goingTo = 0;
  #nearness = 1;
  /** Whether somebody has said where to look, or the page has looked by itself. */
  #hasLooked = false;

  constructor(store: Store, camera: Camera, intake: Intake) {
    this.#store = store;
    this.#camera = camera;
    this.#intake = intake;
  }

  /** A person has taken the camera, or has picked somebody. */
  stay(): void {
    if (this.#store.state.isShownAround) this.#store.set({ isShownAround: false });
    this.#hasLooked = true;
    this.#goingTo = 0;
  }

  goTo(id: number): void {
    this.#goingTo = id;
    this.#nearness = 1;
  }

  /** Whom to follow by itself, once; 0: nobody, or not yet. */
  firstToFollow(): number {
    const { greeting } = this.#store.state;
    const { crowd, playhead } = this.#intake;
    if (this.#hasLooked || greeting === undefined || greeting.recording !== undefined) return 0;
    // Before there is a picture nobody can tell how near is near enough.
    if (!crowd.hasPast || this.#camera.width <= 1) return 0;
    const { minX, minY, maxX, maxY } = greeting.bounds;
    const index = firstLook(crowd, playhead.tick, (maxX - minX) * (maxY - minY));
    return index < 0 ? 0 : (crowd.ids[index] as number);
  }

  /** Goes to the one that the page follows by itself. */
  lookFirst(id: number): void {
    this.#store.set({ isFollowing: true, isShownAround: true });
    this.#hasLooked = true;
    this.#goingTo = id;
    this.#nearness = FIRST_LOOK_NEARNESS;
  }

  /** Id of the next (1) or previous (-1) one after `id`; 0: there is none. With nobody selected, see `walk.ts`. */
  nextAfter(id: number, direction: 1 | -1, whom: Whom): number {
    const { crowd, playhead } = this.#intake;
    const { originX, originY } = this.#camera;
    const selected = crowd.indexOf(id);
    const index =
      selected < 0 && whom === 'watchers'
        ? firstWatcher(crowd, playhead.tick, this.#camera.worldX(originX), this.#camera.worldY(originY))
        : nextIndex(crowd, selected, direction, whom);
    return index < 0 ? 0 : (crowd.ids[index] as number);
  }

  /** Keeps what is drawn at `place` in the middle. */
  follow(place: { x: number; y: number } | undefined, elapsedMs: number): void {
    if (place === undefined) return;
    const share = this.#camera.isStill ? 1 : 1 - Math.exp(-elapsedMs / FOLLOW_MS);
    this.#camera.dragBy((this.#camera.originX - place.x) * share, (this.#camera.originY - place.y) * share);
  }

  /** Goes to where it is going, once that is known: so near that what is perceived there fills half of the picture, or as near as it is. */
  arrive(placeOf: (id: number) => { x: number; y: number } | undefined): void {
    if (this.#goingTo === 0) return;
    const { selected, isFollowing } = this.#store.state;
    const place = placeOf(this.#goingTo);
    if (selected?.id !== this.#goingTo || place === undefined) return;
    this.#goingTo = 0;
    const { range } = selected;
    const camera = this.#camera;
    const fitting = range > 0 ? camera.scaleFor(range) * this.#nearness : camera.scale;
    const scale = Math.max(camera.scale, fitting);
    if (isFollowing) camera.zoomBy(scale / camera.scale);
    else camera.flyTo(camera.worldX(place.x), camera.worldY(place.y), scale);
  }
}
