/**
 * Automatic camera moves: it goes to the entity that a key selects, keeps the followed entity in the centre, and, before the
 * user has done anything, follows a moving entity.
 */
import type { Camera } from './camera.ts';
import { firstLook } from './first-look.ts';
import type { Intake } from './intake.ts';
import type { Store } from './store.ts';
import { firstWatcher, nextIndex, type Whom } from './walk.ts';

const FOLLOW_MS = 120;
/** The camera goes this much closer to the entity that it follows automatically than to a selected one. */
const FIRST_LOOK_NEARNESS = 1.15;

export class Travel {
  readonly #store: Store;
  readonly #camera: Camera;
  readonly #intake: Intake;
  /** The selected entity, until the feed has told its range and the camera can go there; 0: none. */
  #goingTo = 0;
  #nearness = 1;
  /** Whether the user has chosen a view, or the page has chosen one itself. */
  #hasLooked = false;

  constructor(store: Store, camera: Camera, intake: Intake) {
    this.#store = store;
    this.#camera = camera;
    this.#intake = intake;
  }

  /** The user has moved the camera or selected an entity. */
  stay(): void {
    if (this.#store.state.isShownAround) this.#store.set({ isShownAround: false });
    this.#hasLooked = true;
    this.#goingTo = 0;
  }

  goTo(id: number): void {
    this.#goingTo = id;
    this.#nearness = 1;
  }

  /** The entity to follow automatically; 0: none, not yet, or still the one before. */
  firstToFollow(): number {
    const { greeting, isShownAround, selected } = this.#store.state;
    const { crowd, playhead } = this.#intake;
    // It was removed, or the server started again with another world.
    const isLost = isShownAround && selected?.present === false;
    if ((this.#hasLooked && !isLost) || greeting === undefined || greeting.recording !== undefined) return 0;
    // Before there is a picture the scale cannot be chosen.
    if (!crowd.hasPast || this.#camera.width <= 1) return 0;
    const { minX, minY, maxX, maxY } = greeting.bounds;
    const index = firstLook(crowd, playhead.tick, (maxX - minX) * (maxY - minY));
    return index < 0 ? 0 : (crowd.ids[index] as number);
  }

  /** Goes to the entity that the page follows automatically. */
  lookFirst(id: number): void {
    this.#store.set({ isFollowing: true, isShownAround: true });
    this.#hasLooked = true;
    this.#goingTo = id;
    this.#nearness = FIRST_LOOK_NEARNESS;
  }

  /** Id of the next (1) or previous (-1) entity after `id`; 0: none. Without a selection, see `walk.ts`. */
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

  /** Keeps the entity drawn at `place` in the centre. */
  follow(place: { x: number; y: number } | undefined, elapsedMs: number): void {
    if (place === undefined) return;
    const share = this.#camera.isStill ? 1 : 1 - Math.exp(-elapsedMs / FOLLOW_MS);
    this.#camera.dragBy((this.#camera.originX - place.x) * share, (this.#camera.originY - place.y) * share);
  }

  /** Goes to the pending target once its range is known, and zooms in until the range fills half of the picture. Never zooms out. */
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
