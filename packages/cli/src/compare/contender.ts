/**
 * What is compared: the detectors that ship, by name, and variants of some of them.
 *
 * An exact contender must report what every other exact one does, and its hash is held against theirs. One that goes by
 * cells answers another question, the classics' coarse one; how far its answer is off is measured instead.
 */
import { createCrossList, type DetectorFactory, type DetectorName, detectorNames } from 'umwelt';

export interface Contender {
  /** As in tables and plots. */
  readonly name: string;
  readonly detector: DetectorName | DetectorFactory;
  /** Absent: exact. Else it goes by cells whose edge is so many ranges. */
  readonly cellsByRange?: number;
}

/** Every detector that ships, as it is by default. */
export const exactContenders: readonly Contender[] = detectorNames.map((name) => ({ name, detector: name }));

/** The list as it was before it had index nodes: it finds a newcomer's place by walking from its head. */
export const plainList: Contender = {
  name: 'cross-list without index',
  detector: createCrossList({ indexed: false }),
};

/** Those that also answer by cells: the classic nine-grid, one whose cells are too small for it, tower, lists. */
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
