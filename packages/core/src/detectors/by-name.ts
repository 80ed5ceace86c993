/**
 * Loads every detector that ships, so that its name will do: what `umwelt` does on servers, and `umwelt/detectors/by-name`
 * in a bundle that lets its user choose.
 */
import { assert } from '../errors.ts';
import * as shipped from './index.ts';
import { detectorNames } from './registry.ts';

assert(Object.keys(shipped).length === detectorNames.length, 'every detector that ships is exported');
