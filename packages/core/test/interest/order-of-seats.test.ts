/**
 * The cap's order, which a function of interest/rules/cap.ts and a kernel define: whichever method gives the
 * seats, the same markers get them, and the others are reported in the same order.
 */
import { describe, expect, test } from 'vitest';
import { type EntityId, World, type WorldOptions } from '../../src/index.ts';
import { storeOf } from '../../src/world.ts';
import { ALWAYS_SEARCHED, NEVER_SEARCHED, numbersFrom, withShares } from './searched-lives.ts';

const CROWDS = 40;
const MARKERS = 24;
const SEATS = 9;
const DWELL = 3;
/** World units: farther than any marker of the crowd; and out of reach. */
const FARTHER = 90;
const FAR = 500;

type Standing = 'protected' | 'seated' | 'new';

interface Member {
  readonly id: EntityId;
  readonly standing: Standing;
  /** World units. Few different values, so that many are equal. */
  readonly distance: number;
}

/** The method by which a watcher gets its seats. */
interface Way {
  readonly shares: typeof NEVER_SEARCHED;
  readonly kernels?: NonNullable<WorldOptions['kernels']>;
  /** Whether the watcher also pins a marker out of reach. */
  readonly hasPin?: boolean;
}

const ways: readonly (readonly [string, Way])[] = [
  ['in a row of all that it perceives', { shares: NEVER_SEARCHED }],
  ['by the kernels', { shares: ALWAYS_SEARCHED }],
  ['by the kernels in JavaScript', { shares: ALWAYS_SEARCHED, kernels: 'typescript' }],
  ['by a search, with a pinned marker', { shares: ALWAYS_SEARCHED, hasPin: true }],
];

describe.each(ways)('a watcher that is given seats %s', (_, way) => {
  test('seats protected markers first, then by rank, then incumbents, then by id', () => {
    for (let seed = 0; seed < CROWDS; seed++) {
      const { world, watcher, members, pinned } = crowdOf(way, seed);
      const order = [...members].sort(
        (a, b) =>
          Number(b.standing === 'protected') - Number(a.standing === 'protected') ||
          a.distance - b.distance ||
          Number(a.standing === 'new') - Number(b.standing === 'new') ||
          a.id - b.id,
      );
      const seated = order.slice(0, SEATS).map(({ id }) => id);
      const seen = [...world.visibleTo(watcher)].filter((id) => id !== pinned);
      expect(seen, `seed ${seed}`).toEqual(seated.sort((a, b) => a - b));
      const left = order.slice(SEATS).sort((a, b) => a.distance - b.distance || a.id - b.id);
      const { ids, places } = world.outranked(watcher, left.length);
      expect([...ids]).toEqual(left.map(({ id }) => id));
      expect([...places]).toEqual(left.map((_, i) => SEATS + 1 + i));
      expect(left.map(({ id }) => world.explain(watcher, id))).toMatchObject(
        left.map((_, i) => ({ rule: 'cap', seats: SEATS, place: SEATS + 1 + i })),
      );
    }
  });
});

/**
 * A tick before which some markers just got their seats, some have had theirs for long, and some are new;
 * there are fewer seats than before.
 */
function crowdOf({ shares, kernels = 'auto', hasPin = false }: Way, seed: number) {
  const random = numbersFrom(seed);
  const world = new World({
    kernels,
    interests: { default: { cap: MARKERS, incumbentBonus: 0, minDwellTicks: DWELL } },
  });
  const watcher = world.add({ x: 0, y: 0, range: 100, marker: false });
  const pinned = hasPin ? world.add({ x: FAR, y: FAR }) : undefined;
  if (pinned !== undefined) world.pin(watcher, pinned);
  const members = Array.from({ length: MARKERS }, (): Member => {
    const standing = (['protected', 'seated', 'new'] as const)[Math.floor(random() * 3)] as Standing;
    return { id: world.add({ x: FAR, y: 0 }), standing, distance: 10 + Math.floor(random() * 4) };
  });
  // These have seats as long as seats are left. Without one candidate too many no watcher would be searched.
  for (let i = 0; i < 2 * MARKERS; i++) world.add({ x: 0, y: FARTHER });
  const bring = (standing: Standing) => {
    for (const member of members) if (member.standing === standing) world.move(member.id, member.distance, 0);
    withShares(shares, () => world.tick());
  };
  bring('seated');
  for (let tick = 1; tick < DWELL; tick++) withShares(shares, () => world.tick());
  bring('protected');
  // A pinned marker takes a seat, too.
  world.update(watcher, { cap: SEATS + Number(hasPin) });
  bring('new');
  expect(storeOf(world).last.hidden.at(watcher >>> 10)).toBe(shares === ALWAYS_SEARCHED ? 1 : 0);
  return { world, watcher, members, pinned };
}
