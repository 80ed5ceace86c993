/**
 * Controls for the world's detector: see which it is, choose another, show its structure.
 *
 * While the structure is requested, the feed sends it a few times per second, for a window that follows the camera. The
 * structure of one detector is dropped as soon as the world has another.
 */
import type { DetectorNews, PageMessage } from '../feed-message.ts';
import type { StructureFrame } from '../structure-frame.ts';
import type { Camera } from './camera.ts';
import type { Store } from './store.ts';
import { StructureWindow } from './structure-window.ts';

export class DetectorControl {
  readonly #store: Store;
  readonly #camera: Camera;
  readonly #send: (message: PageMessage) => void;
  readonly #window = new StructureWindow();
  /** Requested and not yet answered: the next key press builds on it. */
  #wanted: string | undefined;

  constructor(store: Store, camera: Camera, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#camera = camera;
    this.#send = send;
  }

  /** A new connection: its feed has no requests yet. */
  begin(): void {
    this.#wanted = undefined;
    this.#window.clear();
    this.#store.set({ structure: undefined, detectorRefusal: undefined });
  }

  takeNews({ name, refusal }: DetectorNews): void {
    const { state } = this.#store;
    this.#wanted = undefined;
    const isAnother = state.detector !== name;
    const isFirst = state.detector === '';
    this.#store.set({
      detector: name,
      detectorRefusal: refusal,
      ...(isAnother ? { structure: undefined } : {}),
      ...(isAnother && !isFirst ? { announcement: `Detector ${name}.` } : {}),
      ...(refusal === undefined ? {} : { announcement: refusal }),
    });
  }

  takeFrame(frame: StructureFrame): void {
    const { isStructureShown, detector } = this.#store.state;
    if (isStructureShown && frame.detector === detector) this.#store.set({ structure: frame });
  }

  /** Gives the world the detector of that name, which must be one of the greeting's. */
  choose(name: string): void {
    this.#wanted = name;
    this.#store.set({ detectorRefusal: undefined });
    this.#send({ type: 'detector', name });
  }

  /** The next detector (1) or the previous (-1), wrapping around. */
  chooseNext(direction: 1 | -1): void {
    const { greeting, detector } = this.#store.state;
    const names = greeting?.detectors ?? [];
    if (names.length === 0) return;
    const index = names.indexOf(this.#wanted ?? detector);
    const from = index < 0 && direction < 0 ? 0 : index;
    this.choose(names[(from + direction + names.length) % names.length] as string);
  }

  toggleStructure(): void {
    const isStructureShown = !this.#store.state.isStructureShown;
    this.#window.clear();
    if (!isStructureShown) this.#send({ type: 'structure' });
    this.#store.set({
      isStructureShown,
      structure: undefined,
      announcement: isStructureShown ? 'Structure shown.' : 'Structure hidden.',
    });
  }

  /** Requests the structure of the view if it is shown. True if it is too early to request it again. */
  advance(nowMs: number): boolean {
    const { isStructureShown, structure, greeting } = this.#store.state;
    if (!isStructureShown || greeting === undefined) return false;
    const isCutShort = structure?.isCutShort ?? false;
    const window = this.#window.next(this.#camera, isCutShort, nowMs);
    if (window !== undefined) this.#send({ type: 'structure', window });
    return !this.#window.serves(this.#camera, isCutShort);
  }
}
