/**
 * A sentence or two about each detector: the advice gives figures and uses these to say why they come out so.
 *
 * Each detector's own file says more. A detector that is not listed here, such as a user's own, is compared like the others
 * but has no such sentence.
 */

export interface DetectorFacts {
  /** What it does, as a predicate: 'sorts ...'. */
  readonly idea: string;
  /** What follows for its cost. */
  readonly consequence: string;
}

const FACTS: Readonly<Record<string, DetectorFacts>> = {
  sweep: {
    idea: 'keeps all entities sorted by cell in flat columns and tests neighbours four at a time',
    consequence:
      'if many entities move it sorts all again, at the lowest cost per test; if few move it tests only those',
  },
  'nine-grid': {
    idea: 'keeps all entities in cells and searches, for each that moved, the cells around it',
    consequence: 'its cost grows with the number of moving entities, and only occupied cells exist',
  },
  tower: {
    idea: 'stores in every cell which cells contain watchers that reach it',
    consequence:
      'it pays if ranges differ much, since watchers with short ranges search only short distances',
  },
  'cross-list': {
    idea: 'keeps all entities in a sorted list along each axis and walks it outward from each that moved',
    consequence:
      'it needs no cells and no map, but a walk visits all entities in a strip across the whole world',
  },
  'hot-pair': {
    idea: 'stores the pairs that are close enough to matter and checks those until an entity has moved on',
    consequence: 'its cost and its memory grow with the number of near pairs',
  },
  quadtree: {
    idea: 'keeps all entities in a tree of squares that divide where entities are dense',
    consequence: 'it adapts to uneven crowds at the cost of descending the tree',
  },
  'brute-force': {
    idea: 'compares all entities with all others',
    consequence: 'its cost grows with the square of the number of entities',
  },
};

export function detectorFacts(contender: string): DetectorFacts | undefined {
  return Object.hasOwn(FACTS, contender) ? FACTS[contender] : undefined;
}
