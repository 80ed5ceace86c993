/**
 * Hot pairs: entities that are near each other are kept as a pair in a list, and only those pairs are tested.
 *
 * Problem: find entities that come near each other, at a cost that does not depend on the map. Method: every entity
 * is placed, as a watcher, a marker or both, with a version. An entity that has since drifted no more than half its
 * reach is static. An entity that went farther, was added or changed is placed again: its version increases, its old
 * pairs become invalid, and it is compared with the entities around it, static or moved. Pairs nearer than twice the
 * reach are hot: they are tested whenever one of the two moved, until one is placed again.
 *
 * Beyond the original: the original has a single radius, reports only "near", drops a pair once it is reported, and
 * compares all moved entities with all static ones, n^2 a tick at worst, though it is called O(n). Here pairs inside
 * their reach are hot too, since any step may end them; ranges, gains and senses may differ; a grid finds partners
 * (`hot-pair/places.ts`).
 *
 * Why no pair is missed: each entity has a slack s, half its range or more, and |a - A| <= s(a) while a is static at
 * its place A. A pair is not hot only if |A - B| > reach + s(a) + s(b), in a norm whose ball is the range shape
 * (`pairs/reach-norm.ts`). Then |a - b| >= |A - B| - |a - A| - |b - B| > reach: it is not perceived until one of them
 * is placed again, which compares them. So a pair perceived at the last tick was hot then, and a pair perceived now is
 * hot after this tick. Testing the old pairs of all moved entities, then the new pairs of those placed, finds every
 * crossing. With a single range r, reach + 2s is 2r.
 *
 * Memory: about 90 bytes an entity and 16 a hot pair, of which there are 4 for each perceived pair: 1,000 bytes at 30
 * perceived. A row beyond 1,024 pairs is not kept, its owner searches instead (`hot-pair/pair-rows.ts`), so a dense
 * crowd takes 4 kilobytes an entity at most. Cost: 0.6 us for each of 10,000 walkers that perceive 30: 4 ns a pair,
 * and 3 us for each entity placed again, once in 100 ticks. A slack of a quarter would take two thirds of both; half
 * is the classic value. No cost for stationary entities. Source: cloudwu's "AOI service" and "AOI and movement"
 * (blog.codingnow.com, 2012), and notes on his code.
 */
import type { EntityState } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED } from '../entities/pending.ts';
import { broken, rounded } from '../errors.ts';
import { type Bounds, visitorWithin } from './bounds.ts';
import type { Crossings } from './crossings.ts';
import type { Detector, DetectorFactory, SlotVisitor } from './detector.ts';
import { sketchPairs } from './hot-pair/pair-picture.ts';
import { CROWDED, DRIFTS, LONGEST_ROW, PairRows, PLACED, ROLE_MASK, WAITS } from './hot-pair/pair-rows.ts';
import { chooseUsual, isAlike, Places, type UsualPlaces, usualInBoth } from './hot-pair/places.ts';
import { PairSieve } from './pairs/pair-sieve.ts';
import { DECISIVE, TickWitness } from './pairs/tick-witness.ts';
import { assertRoom } from './slot-room.ts';
import type { StructureSketch } from './structure-sketch.ts';

/** The usual values are chosen again when half of the population has changed, but not for fewer changes than this. */
const FEWEST_CHANGES = 64;
/** ... or when the number of far entities has more than doubled, and grown by this many. */
const MORE_FAR = 32;
/** Number of slots whose pairs `validate` checks in a large world. */
const VALIDATED_SLOTS = 500;
const DESCRIBED_ROWS = 24;

/** Sets of states: bit i for a stamp with i above its version. */
const ALL = 255;
const RESTING = (1 << 0) | (1 << (CROWDED >> 10));
const DRIFTING = 1 << (DRIFTS >> 10);
const CROWDED_WAITING = 1 << ((CROWDED | WAITS) >> 10);
const ALL_BUT_CROWDED_WAITING = ALL & ~CROWDED_WAITING;
const ALL_BUT_WAITING = ALL_BUT_CROWDED_WAITING & ~(1 << (WAITS >> 10));

/** Options of `createHotPair`. */
export interface HotPairOptions {
  /**
   * Maximum length of a row; the owner of a longer one keeps no row and searches instead. 0 to 1,024. Default 1,024.
   */
  readonly longestRow?: number;
}

/** Creates a factory of hot pairs. */
export function createHotPair({ longestRow = LONGEST_ROW }: HotPairOptions = {}): DetectorFactory {
  return (store) => new HotPair(store, Math.min(longestRow, LONGEST_ROW));
}

export const hotPair: DetectorFactory = createHotPair();

class HotPair implements Detector {
  readonly name = 'hot-pair';
  readonly #rows: PairRows;
  readonly #sieve: PairSieve;
  readonly #witness = new TickWitness();
  #places: Places;
  /** Slots found near another slot, while a tick processes one slot after the other. */
  #near = new Int32Array(0);
  /** Pending slots that drift, and those that are placed again. */
  #drifting = new Int32Array(0);
  #moving = new Int32Array(0);
  #driftingCount = 0;
  #movingCount = 0;
  #placedCount = 0;
  #changesSinceChoice = 0;
  #chosen = { entities: 0, far: 0 };
  /** Whether the last `detect` completed. */
  #isWhole = true;

  constructor(store: EntityStore, longestRow: number) {
    this.#rows = new PairRows(longestRow);
    this.#sieve = new PairSieve(store);
    const usual = chooseUsual(store, store.last);
    this.#places = new Places(store, usual);
    this.#grow(store.capacity);
    this.#rebuild(store, usual);
    this.#chosen = { entities: usual.entities, far: this.#places.farCount };
  }

  get memoryBytes(): number {
    const own = this.#near.byteLength + this.#drifting.byteLength + this.#moving.byteLength;
    return own + this.#rows.memoryBytes + this.#places.memoryBytes;
  }

  /** Number of slots that all structures have room for. */
  get slotRoom(): number {
    return Math.min(this.#moving.length, this.#rows.slotRoom, this.#places.slotRoom);
  }

  detect(store: EntityStore, out: Crossings): void {
    if (store.pendingCount === 0) return;
    this.#follow(store);
    this.#isWhole = false;
    this.#choose(store);
    assertRoom(store, [this.#places, this.#rows, this]);
    this.#divide(store);
    if (this.#driftingCount + this.#movingCount > 0) {
      this.#sieve.load(out);
      for (let i = 0; i < this.#movingCount; i++) this.#lookRound(this.#moving[i]);
      this.#lookAtDrifting(store);
      this.#placeAnew(store);
      this.#witness.note(store);
    }
    this.#isWhole = true;
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void {
    this.#follow(store);
    this.#places.collect(bounds, visitorWithin(store, bounds, visit));
  }

  validate(store: EntityStore): void {
    this.#follow(store);
    const places = this.#places;
    const rows = this.#rows;
    const { last, slotCount } = store;
    places.validate(store);
    rows.validate();
    const step = Math.max(1, Math.ceil(slotCount / VALIDATED_SLOTS));
    for (let slot = 0; slot < slotCount; slot += step) {
      if (!places.isPlaced(slot)) {
        if (rows.owned[slot] + rows.theirs[slot] !== 0)
          broken(`slot ${slot} has pairs only while it is present`);
        continue;
      }
      const count = places.partnersInto(store, last, slot, this.#near);
      for (let i = 0; i < count; i++) {
        const other = this.#near[i];
        const [kept, keptByOther] = [this.#keeps(slot, other), this.#keeps(other, slot)];
        if (!kept || !keptByOther) broken(`slots ${slot} and ${other} are a pair to both of them`);
      }
    }
  }

  describe(): string {
    const rows = this.#rows;
    const { usual, farCount, maxSlack } = this.#places;
    const lines = [
      `hot-pair: ${this.#placedCount} placed, ${rows.entryCount} entries, ${rows.crowdedCount} crowded`,
      `usual range ${rounded(usual.range)}, slack ${rounded(usual.slack)} to ${rounded(maxSlack)}; ${farCount} reach farther`,
    ];
    for (let slot = 0; slot < this.slotRoom && lines.length < DESCRIBED_ROWS; slot++) {
      if (this.#places.isPlaced(slot)) lines.push(this.#describeRow(slot));
    }
    return lines.join('\n');
  }

  /** The cells in which partners are searched, and lines between hot pairs. */
  sketch(store: EntityStore, sketch: StructureSketch): void {
    this.#follow(store);
    this.#places.sketchCells(sketch);
    sketchPairs(this.#rows, store.last.x, store.last.y, sketch);
  }

  /** Makes room, and rebuilds everything if the tick that `detect` prepared failed afterwards. */
  #follow(store: EntityStore): void {
    this.#grow(store.capacity);
    if (!this.#isWhole || !this.#witness.holds(store)) this.#rebuild(store, this.#places.usual);
  }

  #grow(capacity: number): void {
    this.#places.grow(capacity);
    this.#rows.grow(capacity);
    if (capacity <= this.#moving.length) return;
    this.#near = new Int32Array(capacity);
    this.#drifting = new Int32Array(capacity);
    this.#moving = new Int32Array(capacity);
  }

  /** Places all entities again at their positions at the last tick. */
  #rebuild(store: EntityStore, usual: UsualPlaces): void {
    this.#isWhole = false;
    const { last, slotCount } = store;
    const places = new Places(store, usual);
    const rows = this.#rows;
    this.#places = places;
    rows.clear();
    this.#placedCount = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (!last.isPresent(slot)) continue;
      rows.renew(slot);
      places.place(store, last, slot);
      rows.setRole(slot, WAITS);
      this.#placedCount++;
    }
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isPresent(slot)) this.#pairUp(store, last, slot);
    }
    for (let slot = 0; slot < slotCount; slot++) rows.setRole(slot, 0);
    this.#witness.clear();
    this.#isWhole = true;
  }

  /** Chooses the usual values again when so much has changed that they may differ, and rebuilds if they do. */
  #choose(store: EntityStore): void {
    const { counts } = store;
    this.#changesSinceChoice += counts.added + counts.removed + counts.changed;
    const isDue =
      this.#changesSinceChoice >= Math.max(FEWEST_CHANGES, this.#chosen.entities / 2) ||
      this.#places.farCount > 2 * this.#chosen.far + MORE_FAR;
    // The first population is always surveyed.
    if (!isDue && this.#chosen.entities > 0) return;
    const after = chooseUsual(store, store.now);
    // This tick compares the crowd at the last tick, too: an entity that is not usual there is compared with all
    // others. So the values must suit both states; they are chosen again at the next tick, when only the current
    // state counts.
    const usual = usualInBoth(chooseUsual(store, store.last), after);
    if (isAlike(usual, after)) this.#changesSinceChoice = 0;
    if (!isAlike(usual, this.#places.usual)) {
      this.#rebuild(store, usual);
      this.#isWhole = false;
    }
    this.#chosen = { entities: after.entities, far: this.#places.farCount };
  }

  /** Divides pending slots into those that drift within their slack and those to be placed again. */
  #divide(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount, now } = store;
    const places = this.#places;
    const rows = this.#rows;
    this.#driftingCount = this.#movingCount = 0;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const bits = pending[slot] & DECISIVE;
      if (bits === 0) continue;
      if (bits === MOVED && places.isAtPlace(store, now, slot)) {
        this.#drifting[this.#driftingCount++] = slot;
        rows.setRole(slot, DRIFTS);
      } else {
        this.#moving[this.#movingCount++] = slot;
        rows.setRole(slot, WAITS);
      }
    }
  }

  /** Tests all pairs of a slot that will be placed again, at its old place. */
  #lookRound(slot: number): void {
    if (!this.#places.isPlaced(slot)) return;
    const near = this.#near;
    const rows = this.#rows;
    const { test } = this.#sieve;
    if ((rows.stamps[slot] & CROWDED) !== 0) {
      const count = this.#search(slot, ALL, CROWDED | WAITS);
      for (let i = 0; i < count; i++) test.both(slot, near[i]);
      return;
    }
    const count = rows.theirsInto(slot, ALL_BUT_WAITING, near, 0);
    const end = rows.ownedInto(slot, ALL_BUT_CROWDED_WAITING, near, count);
    for (let i = 0; i < end; i++) test.both(slot, near[i]);
  }

  /** Tests the pairs of all drifting slots, except those with a slot that is placed again. */
  #lookAtDrifting(store: EntityStore): void {
    const near = this.#near;
    const rows = this.#rows;
    const sieve = this.#sieve;
    if (rows.crowdedCount === 0 && this.#driftingCount * 2 > this.#placedCount) {
      // Most slots drift: every owner tests its row, so that each pair is read once.
      const { stamps } = rows;
      for (let slot = 0; slot < store.slotCount; slot++) {
        if (rows.owned[slot] === 0) continue;
        const role = stamps[slot] & ROLE_MASK;
        if (role === WAITS) continue;
        const count = rows.ownedInto(slot, role === DRIFTS ? ALL_BUT_WAITING : DRIFTING, near, 0);
        sieve.sift(slot, near, 0, count);
      }
      return;
    }
    for (let i = 0; i < this.#driftingCount; i++) {
      const slot = this.#drifting[i];
      let count: number;
      if ((rows.stamps[slot] & CROWDED) !== 0) {
        count = this.#search(slot, ALL_BUT_WAITING, CROWDED | DRIFTS);
      } else {
        count = rows.theirsInto(slot, RESTING, near, 0);
        count = rows.ownedInto(slot, ALL_BUT_WAITING & ~(1 << ((CROWDED | DRIFTS) >> 10)), near, count);
      }
      sieve.sift(slot, near, 0, count);
    }
  }

  /**
   * Writes to `#near` the slots around a crowded slot that are in one of `states`. Two slots in the state `shared`,
   * which is that of the slot, find each other: the lower slot takes the pair.
   */
  #search(slot: number, states: number, shared: number): number {
    const near = this.#near;
    const { stamps } = this.#rows;
    const found = this.#places.surroundingsInto(slot, near);
    let count = 0;
    for (let i = 0; i < found; i++) {
      const other = near[i];
      const state = stamps[other] >> 10;
      if (((states >> state) & 1) === 0 || (state === shared >> 10 && other <= slot)) continue;
      near[count++] = other;
    }
    return count;
  }

  /** Places all waiting slots again, creates their pairs, and tests those within reach now. */
  #placeAnew(store: EntityStore): void {
    const { now } = store;
    const places = this.#places;
    const rows = this.#rows;
    const near = this.#near;
    const { test } = this.#sieve;
    for (let i = 0; i < this.#movingCount; i++) {
      const slot = this.#moving[i];
      rows.renew(slot);
      if (places.isPlaced(slot)) {
        places.clear(slot);
        this.#placedCount--;
      }
      if (!now.isPresent(slot)) continue;
      places.place(store, now, slot);
      this.#placedCount++;
    }
    for (let i = 0; i < this.#movingCount; i++) {
      const slot = this.#moving[i];
      if (!now.isPresent(slot)) continue;
      const count = places.keepInReach(store, now, slot, near, this.#pairUp(store, now, slot));
      for (let k = 0; k < count; k++) test.both(slot, near[k]);
    }
    for (let i = 0; i < this.#driftingCount; i++) rows.setRole(this.#drifting[i], 0);
    for (let i = 0; i < this.#movingCount; i++) rows.setRole(this.#moving[i], 0);
  }

  /**
   * Creates pairs of a slot with its partners in `state`, except with those placed before it, which created theirs
   * already. Returns how many there are in `#near`.
   */
  #pairUp(store: EntityStore, state: EntityState, slot: number): number {
    const near = this.#near;
    const rows = this.#rows;
    const { stamps } = rows;
    const found = this.#places.partnersInto(store, state, slot, near);
    let count = 0;
    for (let i = 0; i < found; i++) {
      if ((stamps[near[i]] & ROLE_MASK) !== PLACED) near[count++] = near[i];
    }
    rows.own(slot, near, count);
    rows.setRole(slot, PLACED);
    return count;
  }

  /** Whether a slot finds another when it moves: in its row, or by a search. */
  #keeps(slot: number, other: number): boolean {
    return (this.#rows.stamps[slot] & CROWDED) !== 0 || this.#rows.has(slot, other);
  }

  #describeRow(slot: number): string {
    const places = this.#places;
    const rows = this.#rows;
    const kind = places.isFar(slot) ? ', far' : '';
    const kept =
      (rows.stamps[slot] & CROWDED) !== 0 ? 'crowded' : `${rows.owned[slot]} + ${rows.theirs[slot]} entries`;
    return `slot ${slot} placed at ${rounded(places.x[slot], 7)} ${rounded(places.y[slot], 7)}, slack ${rounded(places.slack[slot])}${kind}: ${kept}`;
  }
}
