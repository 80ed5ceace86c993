/**
 * The loaded detectors by name: always the default and the definition; others when `index.ts` is imported. So a
 * bundle for browsers contains the detectors that its program imports; elsewhere `by-name.ts` loads all.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { badOption, shown, UmweltError } from '../errors.ts';
import { bruteForce } from './brute-force.ts';
import type { Detector, DetectorFactory, DetectorName } from './detector.ts';
import { sweep } from './sweep.ts';

/** Names of all shipped detectors, the default first; also of those that are not loaded (docs/bundling.md). */
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

/** Registers a name: from now on it can be used wherever a detector is expected. Returns the factory. */
export function loadDetector(name: DetectorName, factory: DetectorFactory): DetectorFactory {
  loaded.set(name, factory);
  return factory;
}

/**
 * The factory of a name, or the given factory. Throws `BAD_OPTION` if it is neither, `UNKNOWN_DETECTOR` for another
 * name, or for one that is not loaded.
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

/**
 * The detector that a factory creates. Throws `BAD_OPTION` if that is no object: a user's factory may forget to
 * return one.
 */
export function madeBy(factory: DetectorFactory, store: EntityStore): Detector {
  const detector: unknown = factory(store);
  if (typeof detector !== 'object' || detector === null)
    throw badOption('detector', detector, 'a factory that makes a Detector');
  return detector as Detector;
}

/** The name of a shipped factory; '' for any other. */
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
