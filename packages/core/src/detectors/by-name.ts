/**
 * Loads every shipped detector, so that each can be chosen by name. `umwelt` does this on servers; a bundle that lets
 * its user choose imports `umwelt/detectors/by-name`.
 */
import { assert } from '../errors.ts';
import * as shipped from './index.ts';
import { detectorNames } from './registry.ts';

assert(Object.keys(shipped).length === detectorNames.length, 'every detector that ships is exported');
