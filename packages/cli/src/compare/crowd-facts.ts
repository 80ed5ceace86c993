/** Facts about a crowd besides its figures: its size, its map, its density. */
import type { Crowd, Series } from './comparison.ts';
import type { CrowdScript } from './crowd-script.ts';

/** Id, title and series of a crowd. */
export interface CrowdLabel {
  readonly id: string;
  readonly series: Series;
  readonly scenario: string;
  readonly title: string;
}

/** @param firstPairs pairs in the first report, when all entities have been added. */
export function crowdFacts(label: CrowdLabel, script: CrowdScript, firstPairs: number): Crowd {
  const { bounds, range, arrivals, steps } = script;
  let entities = 0;
  let watchers = 0;
  for (const { actors, init } of arrivals) {
    entities += actors.length;
    if (typeof init.range === 'number' && init.range > 0) watchers += actors.length;
  }
  const depth =
    bounds.maxZ === undefined || bounds.minZ === undefined ? undefined : bounds.maxZ - bounds.minZ;
  const mapWidth = bounds.maxX - bounds.minX;
  const mapHeight = bounds.maxY - bounds.minY;
  // A map narrower than a cell still needs one.
  const cells = [mapWidth, mapHeight, depth ?? range].reduce(
    (product, extent) => product * Math.max(1, extent / range),
    1,
  );
  const moved = steps.reduce((sum, step) => sum + step.moved.length, 0);
  return {
    ...label,
    dimensions: depth === undefined ? 2 : 3,
    entities,
    range,
    mapWidth,
    mapHeight,
    entitiesPerCell: entities / cells,
    cellsPerEntity: cells / Math.max(1, entities),
    perceived: firstPairs / Math.max(1, watchers),
    movers: Math.round(moved / Math.max(1, steps.length)),
  };
}
