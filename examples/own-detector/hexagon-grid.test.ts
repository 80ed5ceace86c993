/** Runs the conformance suite on the example's detector, as users would on their own. */
import { detectorSuite } from 'umwelt/conformance';
import { describe, test } from 'vitest';
import { hexagonGrid } from './hexagon-grid.ts';

describe('a grid of hexagons', () => {
  for (const { name, run } of detectorSuite(hexagonGrid(20), { scripts: 50 })) test(name, run, 600_000);
});
