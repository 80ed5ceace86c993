/**
 * The detectors by name, as far as they are loaded: the default and the definition always, others when `index.ts` is
 * asked for them. So a bundle for browsers holds those that its program imports; elsewhere `by-name.ts` loads all.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { badOption, shown, UmweltError } from '../errors.ts';
import { bruteForce } from './brute-force.ts';
import type { Detector, DetectorFactory, DetectorName } from './detector.ts';
import { sweep } from './sweep.ts';

/** Every detector that ships, the default first. Where not all are loaded (docs/bundling.md), those that are not, too. */
export const detectorNames: readonly DetectorName[] = [
  'sweep',
  'nine-grid',
  'tower',
  'cross-list',
  'hot-pair',
  'quadtree',
  'brute-force',
];

const loaded = new Map<DetectorName, DetectorFactory>([
  ['sweep', sweep],
  ['brute-force', bruteForce],
]);

/** Makes a name known: from now on it will do wherever a detector is asked for. Answers the factory. */
export function loadDetector(name: DetectorName, factory: DetectorFactory): DetectorFactory {
  loaded.set(name, factory);
  return factory;
}

/**
 * The factory of a name, or the one given. Throws `BAD_OPTION` for what is neither, `UNKNOWN_DETECTOR` for another name, and
 * for one that is not loaded.
 */
export function detectorFactory(detector: DetectorName | DetectorFactory): DetectorFactory {
  if (typeof detector === 'function') return detector;
  if (typeof detector !== 'string')
    throw badOption('detector', detector, "a detector's name or a DetectorFactory");
  const factory = loaded.get(detector);
  if (factory === undefined) {
    throw new UmweltError(
      'UNKNOWN_DETECTOR',
      `detector: ${shown(detector)} was given, expected ${expectation(detector)}`,
      { field: 'detector', value: detector },
    );
  }
  return factory;
}

/** Whether a detector of this name ships, loaded or not. */
export function isDetectorName(name: string): name is DetectorName {
  return (detectorNames as readonly string[]).includes(name);
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
  for (const [name, each] of loaded) if (each === factory) return name;
  return '';
}

function expectation(name: string): string {
  if (!isDetectorName(name)) return `one of ${detectorNames.join(', ')}`;
  const exported = name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const names = [...loaded.keys()].join(', ');
  return `one that is in this bundle (${names}); import { ${exported} } from 'umwelt/detectors' puts it there`;
}
