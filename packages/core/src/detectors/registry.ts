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

/** The type of each member that a detector must have, and of those that it may have. */
const NEEDED_MEMBERS = {
  name: 'string',
  detect: 'function',
  collect: 'function',
  validate: 'function',
  describe: 'function',
  memoryBytes: 'number',
} as const;
const FURTHER_MEMBERS = {
  collectPlaces: 'function',
  collectPerceived: 'function',
  sketch: 'function',
  dispose: 'function',
} as const;

/**
 * The detector that a factory creates. Throws `BAD_OPTION` if that is no object, or lacks a member: a user's factory
 * may forget to return one, and a tick would fail in the middle without `detect`.
 */
export function madeBy(factory: DetectorFactory, store: EntityStore): Detector {
  const detector: unknown = factory(store);
  if (typeof detector !== 'object' || detector === null)
    throw badOption('detector', detector, 'a factory that makes a Detector');
  const members = detector as Readonly<Record<string, unknown>>;
  for (const [member, type] of Object.entries({ ...NEEDED_MEMBERS, ...FURTHER_MEMBERS })) {
    const value = members[member];
    if (typeof value === type || (value === undefined && member in FURTHER_MEMBERS)) continue;
    throw badOption(`detector.${member}`, value, `a ${type}, as every Detector has it`);
  }
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
