/**
 * Scripts derived from another: fewer of the same entities, the same entities on a larger map, and entities that see nothing.
 *
 * A part of the crowd serves to estimate the cost of the whole. A larger map is made by moving entities apart without changing
 * how they move: each is shifted by a constant of its own, the same in every step. So the number of entities stays the same
 * while the map grows. Villages are shifted as wholes, so their number of pairs stays the same too: any change in a
 * contender's time is then due to the map alone.
 */
import type { Bounds } from '@umwelt/scenarios';
import type { Arrival, CrowdScript, ScriptStep } from './crowd-script.ts';

/** Every n-th actor of the crowd, and a few steps: enough to estimate the cost of the whole. */
export function partOf(script: CrowdScript, oneIn: number): CrowdScript {
  const isIn = (actor: number) => actor % oneIn === 0;
  const stepPart = (step: ScriptStep): ScriptStep => ({
    ...step,
    removed: step.removed.filter(isIn),
    arrivals: step.arrivals.flatMap((arrival) => arrivalPart(arrival, isIn)),
    moved: step.moved.filter(isIn),
  });
  return {
    ...script,
    arrivals: script.arrivals.flatMap((arrival) => arrivalPart(arrival, isIn)),
    steps: script.steps.slice(0, 4).map(stepPart),
    fewSteps: script.fewSteps.slice(0, 3).map(stepPart),
    comers: script.comers.slice(0, 4),
  };
}

function arrivalPart({ init, actors, x, y, z }: Arrival, isIn: (actor: number) => boolean): Arrival[] {
  const keep = [...actors.keys()].filter((i) => isIn(actors[i] as number));
  if (keep.length === 0) return [];
  const part = (column: Float32Array) => Float32Array.from(keep, (i) => column[i] as number);
  return [
    {
      init,
      actors: Uint32Array.from(keep, (i) => actors[i] as number),
      x: part(x),
      y: part(y),
      z: part(z),
    },
  ];
}

/** The same entities, none of which perceives anything. */
export function unwatched(script: CrowdScript): CrowdScript {
  return {
    ...script,
    arrivals: script.arrivals.map((arrival) => ({ ...arrival, init: { ...arrival.init, range: 0 } })),
    comers: script.comers.map(({ beside, init }) => ({ beside, init: { ...init, range: 0 } })),
  };
}

/** The same entities, each `factor` times as far from the middle of the map at the start. */
export function scattered(script: CrowdScript, factor: number): CrowdScript {
  const { bounds } = script;
  const middleX = (bounds.minX + bounds.maxX) / 2;
  const middleY = (bounds.minY + bounds.maxY) / 2;
  return shifted(
    script,
    (x, y) => [(x - middleX) * (factor - 1), (y - middleY) * (factor - 1)],
    scaledBounds(bounds, factor),
  );
}

/**
 * The crowd cut into `villages` x `villages` squares that are moved apart by at least three ranges, until the map is `factor`
 * times as wide as at that minimum distance.
 */
export function inVillages(script: CrowdScript, villages: number, factor: number): CrowdScript {
  const { bounds, range } = script;
  const width = bounds.maxX - bounds.minX;
  const height = bounds.maxY - bounds.minY;
  const gaps = Math.max(1, villages - 1);
  const gapFor = (extent: number) => ((extent + 3 * range * gaps) * factor - extent) / gaps;
  const village = (place: number, min: number, extent: number) =>
    Math.min(villages - 1, Math.max(0, Math.floor(((place - min) / extent) * villages)));
  const gapX = gapFor(width);
  const gapY = gapFor(height);
  return shifted(
    script,
    (x, y) => [village(x, bounds.minX, width) * gapX, village(y, bounds.minY, height) * gapY],
    { ...bounds, maxX: bounds.maxX + gapX * gaps, maxY: bounds.maxY + gapY * gaps },
  );
}

function scaledBounds(bounds: Bounds, factor: number): Bounds {
  const { minX, maxX, minY, maxY } = bounds;
  const growX = ((maxX - minX) * (factor - 1)) / 2;
  const growY = ((maxY - minY) * (factor - 1)) / 2;
  return { ...bounds, minX: minX - growX, maxX: maxX + growX, minY: minY - growY, maxY: maxY + growY };
}

type ShiftOf = (x: number, y: number) => readonly [shiftX: number, shiftY: number];

/** Shifts each actor, in all steps, by what `shiftOf` returns for its first position. */
function shifted(script: CrowdScript, shiftOf: ShiftOf, bounds: Bounds): CrowdScript {
  const shiftX = new Float64Array(script.actorCount);
  const shiftY = new Float64Array(script.actorCount);
  const settle = ({ actors, x, y }: Arrival) => {
    actors.forEach((actor, i) => {
      const [byX, byY] = shiftOf(x[i] as number, y[i] as number);
      shiftX[actor] = byX;
      shiftY[actor] = byY;
    });
  };
  script.arrivals.forEach(settle);
  const moveArrival = (arrival: Arrival): Arrival => ({
    ...arrival,
    x: arrival.x.map((x, i) => x + (shiftX[arrival.actors[i] as number] as number)),
    y: arrival.y.map((y, i) => y + (shiftY[arrival.actors[i] as number] as number)),
  });
  const moveStep = (step: ScriptStep): ScriptStep => ({
    ...step,
    arrivals: step.arrivals.map(moveArrival),
    x: step.x.map((x, actor) => x + (shiftX[actor] as number)),
    y: step.y.map((y, actor) => y + (shiftY[actor] as number)),
  });
  return {
    ...script,
    bounds,
    arrivals: script.arrivals.map(moveArrival),
    steps: script.steps.map(moveStep),
    fewSteps: script.fewSteps.map(moveStep),
    comers: script.comers.map(({ beside, init }) => ({
      beside,
      init: { ...init, x: init.x + (shiftX[beside] as number), y: init.y + (shiftY[beside] as number) },
    })),
  };
}
