/** Holds the example's detector to the conformance suite, as its users would hold their own. */
import { detectorSuite } from 'umwelt/conformance';
import { describe, test } from 'vitest';
import { hexagonGrid } from './hexagon-grid.ts';

describe('a grid of hexagons', () => {
  for (const { name, run } of detectorSuite(hexagonGrid(20), { scripts: 100 })) test(name, run, 60_000);
});
