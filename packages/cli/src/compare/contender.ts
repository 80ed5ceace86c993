/**
 * The contenders: the shipped detectors, by name, and variants of some of them.
 *
 * An exact contender must report the same as every other exact one, and its hash is compared with theirs. A contender by cells
 * gives the classic coarse answer; how inexact that answer is, is measured instead.
 */
import { createCrossList, type DetectorFactory, type DetectorName, detectorNames } from 'umwelt';

export interface Contender {
  /** Name in tables and plots. */
  readonly name: string;
  readonly detector: DetectorName | DetectorFactory;
  /** Absent: exact. Otherwise it answers by cells, with an edge of that many ranges. */
  readonly cellsByRange?: number;
}

/** Every shipped detector with its defaults. */
export const exactContenders: readonly Contender[] = detectorNames.map((name) => ({ name, detector: name }));

/** The cross list without index nodes: it finds a new entity's place by walking from its head. */
export const plainList: Contender = {
  name: 'cross-list without index',
  detector: createCrossList({ indexed: false }),
};

/** Contenders by cells: the classic nine-grid, one whose cells are too small for it, tower, lists. */
export const cellContenders: readonly Contender[] = (
  [
    ['nine-grid by cells', 'nine-grid', 1],
    ['nine-grid by half cells', 'nine-grid', 0.5],
    ['tower by cells', 'tower', 1],
    ['cross-list by cells', 'cross-list', 1],
  ] as const
)
  .filter(([, detector]) => (detectorNames as readonly string[]).includes(detector))
  .map(([name, detector, cellsByRange]) => ({ name, detector: detector as DetectorName, cellsByRange }));
