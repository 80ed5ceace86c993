/**
 * What each detector is, in a sentence or two: for the advice, which gives figures and says why they come out so.
 *
 * Longer in each one's own file. One that is not listed here, a user's own, is compared like the others and goes
 * without.
 */

export interface DetectorFacts {
  /** What it does, as a predicate: 'sorts ...'. */
  readonly idea: string;
  /** What follows for its cost. */
  readonly consequence: string;
}

const FACTS: Readonly<Record<string, DetectorFacts>> = {
  sweep: {
    idea: 'keeps everybody sorted by cell in flat columns and tests neighbours four at a time',
    consequence:
      'where many move it sorts all anew, at the lowest price a test; where few move it tests only those',
  },
  'nine-grid': {
    idea: 'keeps everybody in cells and looks, for each who moved, into the cells around it',
    consequence: 'its cost follows those who move, and cells exist only where somebody is',
  },
  tower: {
    idea: 'keeps in every cell which cells hold somebody who sees it',
    consequence: 'it pays where ranges differ much, since the short-sighted look no farther than they see',
  },
  'cross-list': {
    idea: 'keeps everybody in a sorted list along each axis and walks it outward from who moved',
    consequence: 'it has no cells and no map, but a walk meets everybody in a strip across the whole world',
  },
  'hot-pair': {
    idea: 'remembers the pairs that are close enough to matter and watches those until one has moved on',
    consequence: 'its cost follows the pairs that are near, and so does its memory',
  },
  quadtree: {
    idea: 'keeps everybody in a tree of squares that divide where people are many',
    consequence: 'it adapts to uneven crowds at the price of walking down the tree',
  },
  'brute-force': {
    idea: 'compares everybody with everybody',
    consequence: 'its cost grows with the square of the crowd',
  },
};

export function detectorFacts(contender: string): DetectorFacts | undefined {
  return Object.hasOwn(FACTS, contender) ? FACTS[contender] : undefined;
}
