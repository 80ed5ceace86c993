/**
 * What is compared: the detectors that ship, by name, and variants of some of them.
 *
 * An exact contender must report what every other exact one does, and its hash is held against theirs. One that goes by
 * cells answers another question, the classics' coarse one; how far its answer is off is measured instead.
 */
import * as engine from 'umwelt';
import { type DetectorFactory, type DetectorName, detectorNames } from 'umwelt';

export interface Contender {
  /** As in tables and plots. */
  readonly name: string;
  readonly detector: DetectorName | DetectorFactory;
  /** Absent: exact. Else it goes by cells whose edge is so many ranges. */
  readonly cellsByRange?: number;
}

/** Every detector that ships, as it is by default. */
export const exactContenders: readonly Contender[] = detectorNames.map((name) => ({ name, detector: name }));

/** What makes cross lists as they were before they had index nodes; not every version of the engine offers it. */
const { createCrossList } = engine as {
  readonly createCrossList?: (options: { readonly indexed: boolean }) => DetectorFactory;
};

/** The list that finds a newcomer's place by walking from its head; nobody where there is none. */
export const plainLists: readonly Contender[] =
  createCrossList === undefined
    ? []
    : [{ name: 'cross-list without index', detector: createCrossList({ indexed: false }) }];

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
