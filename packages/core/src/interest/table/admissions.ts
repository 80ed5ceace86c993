/**
 * What `admit` returned in the tick under way for pairs of watchers whose whole row a kernel may decide. A kernel cannot call
 * `admit`, so it is called before; if the kernel gives the row back, row-judge.ts does not call it again.
 *
 * Cost: 9 bytes a pair; nothing is kept from tick to tick.
 */
import { cleared, grown, placeOf } from '../../columns.ts';
import { keyOf } from '../../detectors/crossings.ts';
import { ScratchRoom } from './scratch-room.ts';

const FIRST_ROOM = 256;

export class Admissions {
  #count = 0;
  /** Ascending. */
  #keys = new Float64Array(FIRST_ROOM);
  #areAdmitted = new Uint8Array(FIRST_ROOM);
  readonly #room = new ScratchRoom(FIRST_ROOM);

  get memoryBytes(): number {
    return this.#keys.byteLength + this.#areAdmitted.byteLength;
  }

  clear(): void {
    this.#room.note(this.#count);
    this.#count = 0;
  }

  /** Frees memory that recent ticks did not use. The answers are lost. */
  trim(): void {
    this.clear();
    const length = this.#room.look(this.#keys.length);
    this.#keys = cleared(this.#keys, length);
    this.#areAdmitted = cleared(this.#areAdmitted, length);
  }

  /** Call in ascending order of watchers, then markers. Slots. */
  note(watcher: number, marker: number, isAdmitted: boolean): void {
    if (this.#count === this.#keys.length) {
      this.#keys = grown(this.#keys, 2 * this.#count);
      this.#areAdmitted = grown(this.#areAdmitted, 2 * this.#count);
    }
    this.#keys[this.#count] = keyOf(watcher, marker);
    this.#areAdmitted[this.#count++] = isAdmitted ? 1 : 0;
  }

  /** What `admit` returned; `undefined` if it was not called. Slots. */
  find(watcher: number, marker: number): boolean | undefined {
    const key = keyOf(watcher, marker);
    const at = placeOf(this.#keys, key, 0, this.#count);
    return at < this.#count && this.#keys[at] === key ? this.#areAdmitted[at] === 1 : undefined;
  }
}
