/** The detectors by name: one line each. */
import { shown, UmweltError } from '../errors.ts';
import { bruteForce } from './brute-force.ts';
import type { DetectorFactory, DetectorName } from './detector.ts';
import { sweep } from './sweep.ts';

const FACTORIES: Readonly<Record<DetectorName, DetectorFactory>> = {
  sweep,
  'brute-force': bruteForce,
};

/** Every detector that ships, the default first. */
export const detectorNames = Object.keys(FACTORIES) as readonly DetectorName[];

/** The factory of a name, or the one given. Throws `UNKNOWN_DETECTOR`. */
export function detectorFactory(detector: DetectorName | DetectorFactory): DetectorFactory {
  if (typeof detector === 'function') return detector;
  if (!Object.hasOwn(FACTORIES, detector)) {
    throw new UmweltError(
      'UNKNOWN_DETECTOR',
      `detector: ${shown(detector)} was given, expected one of ${detectorNames.join(', ')}`,
      { field: 'detector', value: detector },
    );
  }
  return FACTORIES[detector];
}
