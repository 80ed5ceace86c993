/**
 * Finds the pairs whose distance crossed, in the tick under way, the one within which they relate by force: of pins, and of groups
 * (group-crossings.ts). Anything else that begins or ends such a relation is a change of a property or a tie: override-causes.ts.
 *
 * A pin is tested in both states, if one of the two moved. Cost: 30 ns a pin with a distance, or a look at the ties of each entity that
 * moved, where these are fewer.
 */
import type { DetectorFactory } from '../../detectors/detector.ts';
import { sweep } from '../../detectors/sweep.ts';
import { MOVED } from '../../entities/pending.ts';
import { isWithin, type Pin } from '../rules/pin-reasons.ts';
import { squaredDistance } from '../rules/rank.ts';
import type { SeatTables } from '../standing/seat-tables.ts';
import { GroupCrossings, isLimiting } from './group-crossings.ts';

/** Called with slots. The pair may not have crossed, and may be named twice. */
type PairVisitor = (watcher: number, marker: number) => void;

export class LimitCrossings {
  readonly #tables: SeatTables;
  /** Makes the world's detector, which knows its cells. */
  readonly #makeDetector: DetectorFactory;
  /** By kind of groups, two for each: for distances and for 'reach'. `undefined`: no interest shows the kind so. */
  readonly #groups: (GroupCrossings | undefined)[] = [];

  constructor(tables: SeatTables, makeDetector: DetectorFactory) {
    this.#tables = tables;
    this.#makeDetector = makeDetector;
  }

  get memoryBytes(): number {
    return this.#groups.reduce((sum, groups) => sum + (groups?.memoryBytes ?? 0), 0);
  }

  /** Once a tick, after the lists of groups are settled. */
  each(visit: PairVisitor): void {
    const { ties, store, book } = this.#tables;
    const { size } = ties.limitedPins;
    if (size > store.pendingCount) this.#testMoved(visit);
    else for (const pin of ties.limitedPins) this.#test(pin, visit);
    for (let k = 0; k < 2 * store.settings.groups.length; k++) {
      const [kind, isReach] = [k >> 1, k % 2 === 1];
      if (!book.current.some((interest) => isLimiting(interest, kind, isReach))) this.#groups[k] = undefined;
      else this.#groups[k] ??= this.#make(kind, isReach);
      this.#groups[k]?.find(visit);
    }
  }

  /** The tick failed, or does without `each`: members are listed anew in the next one. */
  skip(): void {
    this.#groups.length = 0;
  }

  #make(kind: number, isReach: boolean): GroupCrossings {
    const isByCells = isReach && this.#tables.store.settings.granularity === 'cell';
    return new GroupCrossings(this.#tables, kind, isReach, isByCells ? this.#makeDetector : sweep);
  }

  #testMoved(visit: PairVisitor): void {
    const { ties, store } = this.#tables;
    for (let i = 0; i < store.pendingCount; i++) {
      const id = store.ids.idOf[store.pendingSlots[i]];
      for (const pin of ties.pinsOf(id)?.values() ?? []) this.#test(pin, visit);
      for (const holder of ties.holdersOf(id)) {
        const pin = ties.pinsOf(holder)?.get(id);
        if (pin !== undefined) this.#test(pin, visit);
      }
    }
  }

  #test({ watcher, marker, within }: Pin, visit: PairVisitor): void {
    const { pending, settings, last, now } = this.#tables.store;
    const [w, m] = [watcher >>> 10, marker >>> 10];
    if (((pending[w] | pending[m]) & MOVED) === 0) return;
    const wasWithin = isWithin(squaredDistance(settings, last, w, m), within);
    if (wasWithin !== isWithin(squaredDistance(settings, now, w, m), within)) visit(w, m);
  }
}
