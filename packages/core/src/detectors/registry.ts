/** The detectors by name: one line each. */
import type { EntityStore } from '../entities/entity-store.ts';
import { badOption, shown, UmweltError } from '../errors.ts';
import { bruteForce } from './brute-force.ts';
import { crossList } from './cross-list.ts';
import type { Detector, DetectorFactory, DetectorName } from './detector.ts';
import { hotPair } from './hot-pair.ts';
import { nineGrid } from './nine-grid.ts';
import { quadtree } from './quadtree.ts';
import { sweep } from './sweep.ts';
import { tower } from './tower.ts';

const FACTORIES: Readonly<Record<DetectorName, DetectorFactory>> = {
  sweep,
  'nine-grid': nineGrid,
  tower,
  'cross-list': crossList,
  'hot-pair': hotPair,
  quadtree,
  'brute-force': bruteForce,
};

/** Every detector that ships, the default first. */
export const detectorNames = Object.keys(FACTORIES) as readonly DetectorName[];

/** The factory of a name, or the one given. Throws `BAD_OPTION` for what is neither, `UNKNOWN_DETECTOR` for another name. */
export function detectorFactory(detector: DetectorName | DetectorFactory): DetectorFactory {
  if (typeof detector === 'function') return detector;
  if (typeof detector !== 'string')
    throw badOption('detector', detector, "a detector's name or a DetectorFactory");
  if (!Object.hasOwn(FACTORIES, detector)) {
    throw new UmweltError(
      'UNKNOWN_DETECTOR',
      `detector: ${shown(detector)} was given, expected one of ${detectorNames.join(', ')}`,
      { field: 'detector', value: detector },
    );
  }
  return FACTORIES[detector];
}

/** What a factory makes. Throws `BAD_OPTION` for what is no object: a user's factory may forget to answer. */
export function madeBy(factory: DetectorFactory, store: EntityStore): Detector {
  const detector: unknown = factory(store);
  if (typeof detector !== 'object' || detector === null)
    throw badOption('detector', detector, 'a factory that makes a Detector');
  return detector as Detector;
}

/** The name of a factory that ships; '' for any other. */
export function detectorNameOf(factory: DetectorFactory): DetectorName | '' {
  return detectorNames.find((name) => FACTORIES[name] === factory) ?? '';
}
