/**
 * The movement of a crowd, recorded once and played to every contender.
 *
 * Problem: contenders are comparable only on the same movement, and a simulation moves one world at a time. Method: the
 * simulation is stepped in advance and each step is kept as columns: the initial entities; steps in which all entities move
 * that can; steps in which one in a hundred moves, straight on from where the last step led; and some entities that are added
 * one by one, next to others. None of this is part of the measured times.
 *
 * Memory: 8 bytes per actor and step, 12 in 3-D.
 */
import { type Bounds, Random, type Simulation } from '@umwelt/scenarios';
import type { EntityInit, EntityPatch, WorldOptions } from 'umwelt';

/** Entities that are added together and are alike in all but their position. */
export interface Arrival {
  readonly init: EntityPatch;
  readonly actors: Uint32Array;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

export interface ScriptStep {
  readonly removed: Uint32Array;
  readonly arrivals: readonly Arrival[];
  readonly moved: Uint32Array;
  /** By actor; only those in `moved` are used. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

/** An entity that is added later, alone. */
export interface Comer {
  /** The actor it appears next to. */
  readonly beside: number;
  readonly init: EntityInit;
}

export interface CrowdScript {
  readonly worldOptions: WorldOptions;
  readonly bounds: Bounds;
  /** Actors are 0 .. actorCount-1. */
  readonly actorCount: number;
  /** The range that cells are as wide as: that of most watchers. World units. */
  readonly range: number;
  readonly arrivals: readonly Arrival[];
  readonly steps: readonly ScriptStep[];
  readonly fewSteps: readonly ScriptStep[];
  readonly comers: readonly Comer[];
}

/** The length of a script. */
export interface ScriptLength {
  /** Steps of the simulation to skip at its beginning; after the last of them some actor must be present. At least 1. */
  readonly lead: number;
  readonly steps: number;
  readonly fewSteps: number;
  readonly comers: number;
}

/** One in so many moves in the steps in which few move. */
const ONE_IN = 100;
const NOBODY = new Uint32Array(0);

/** Steps the simulation, which must not have been stepped before. */
export function recordCrowd(simulation: Simulation, length: ScriptLength, seed: number): CrowdScript {
  for (let step = 0; step < length.lead; step++) simulation.step();
  const random = new Random(seed);
  const present = actorsPresent(simulation);
  const arrivals = arrivalsOf(simulation, present);
  const steps: ScriptStep[] = [];
  let before = columnsOf(simulation);
  for (let i = 0; i < length.steps; i++) {
    before = columnsOf(simulation);
    simulation.step();
    steps.push(stepOf(simulation));
  }
  return {
    worldOptions: simulation.worldOptions,
    bounds: simulation.bounds,
    actorCount: simulation.capacity,
    range: commonRange(simulation, present),
    arrivals,
    steps,
    fewSteps: fewStepsOf(simulation, before, length.fewSteps, random),
    comers: comersOf(simulation, length.comers, random),
  };
}

interface Columns {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
}

function columnsOf({ x, y, z, dimensions }: Simulation): Columns {
  // In 2-D all values stay 0, and no world reads them.
  return { x: x.slice(), y: y.slice(), z: dimensions === 3 ? z.slice() : z };
}

function actorsPresent(simulation: Simulation): Uint32Array {
  const actors = new Uint32Array(simulation.count);
  let count = 0;
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (simulation.present[actor] === 1) actors[count++] = actor;
  }
  return actors;
}

function stepOf(simulation: Simulation): ScriptStep {
  const { added, removed, moved } = simulation;
  return {
    removed: removed.indices.slice(0, removed.count),
    arrivals: arrivalsOf(simulation, added.indices.slice(0, added.count)),
    moved: moved.indices.slice(0, moved.count),
    ...columnsOf(simulation),
  };
}

/** Groups by kind and range, in the order of first appearance. */
function arrivalsOf(simulation: Simulation, actors: Uint32Array): Arrival[] {
  const groups = new Map<EntityPatch | undefined, Map<number, number[]>>();
  for (const actor of actors) {
    const init = simulation.initFor?.(actor);
    const byRange = groups.get(init) ?? new Map<number, number[]>();
    groups.set(init, byRange);
    const range = simulation.range[actor] as number;
    const group = byRange.get(range) ?? [];
    byRange.set(range, group);
    group.push(actor);
  }
  return [...groups].flatMap(([init, byRange]) =>
    [...byRange].map(([range, group]) => ({
      init: { range, ...init, updates: false },
      actors: Uint32Array.from(group),
      x: Float32Array.from(group, (actor) => simulation.x[actor] as number),
      y: Float32Array.from(group, (actor) => simulation.y[actor] as number),
      z: Float32Array.from(group, (actor) => simulation.z[actor] as number),
    })),
  );
}

/** The range of most watchers; 1 if there is no watcher. */
function commonRange(simulation: Simulation, actors: Uint32Array): number {
  const counts = new Map<number, number>();
  for (const actor of actors) {
    const range = simulation.range[actor] as number;
    if (range > 0) counts.set(range, (counts.get(range) ?? 0) + 1);
  }
  let most = 0;
  let common = 1;
  for (const [range, count] of counts) if (count > most) [most, common] = [count, range];
  return common;
}

/** A few actors continue as in the last step, and turn back at the edges. */
function fewStepsOf(simulation: Simulation, before: Columns, count: number, random: Random): ScriptStep[] {
  const { moved, present, bounds } = simulation;
  const movers = moved.indices.slice(0, moved.count).filter((actor) => present[actor] === 1);
  const chosen = drawn(
    movers,
    Math.min(movers.length, Math.max(1, Math.round(simulation.count / ONE_IN))),
    random,
  );
  const position = columnsOf(simulation);
  const pace = (axis: 'x' | 'y' | 'z') =>
    Float32Array.from(chosen, (actor) => (position[axis][actor] as number) - (before[axis][actor] as number));
  const paces = { x: pace('x'), y: pace('y'), z: pace('z') };
  const walk = (axis: 'x' | 'y' | 'z', min: number, max: number) => {
    chosen.forEach((actor, i) => {
      const next = (position[axis][actor] as number) + (paces[axis][i] as number);
      if (next < min || next > max) paces[axis][i] = -(paces[axis][i] as number);
      else position[axis][actor] = next;
    });
  };
  return Array.from({ length: count }, () => {
    walk('x', bounds.minX, bounds.maxX);
    walk('y', bounds.minY, bounds.maxY);
    if (simulation.dimensions === 3) walk('z', bounds.minZ ?? 0, bounds.maxZ ?? 0);
    return { removed: NOBODY, arrivals: [], moved: chosen, ...copyOf(position, simulation.dimensions) };
  });
}

function copyOf({ x, y, z }: Columns, dimensions: 2 | 3): Columns {
  return { x: x.slice(), y: y.slice(), z: dimensions === 3 ? z.slice() : z };
}

/** That many of the actors, without repetition, ascending. */
function drawn(actors: Uint32Array, count: number, random: Random): Uint32Array {
  const pool = actors.slice();
  for (let i = 0; i < count; i++) {
    const other = i + random.below(pool.length - i);
    const actor = pool[i] as number;
    pool[i] = pool[other] as number;
    pool[other] = actor;
  }
  return pool.slice(0, count).sort();
}

/** New entities are within a tenth of a range of an existing one, and have its properties. */
function comersOf(simulation: Simulation, count: number, random: Random): Comer[] {
  const actors = actorsPresent(simulation);
  if (actors.length === 0) return [];
  return Array.from({ length: count }, () => {
    const actor = actors[random.below(actors.length)] as number;
    const range = simulation.range[actor] as number;
    const init = {
      range,
      ...simulation.initFor?.(actor),
      updates: false,
      x: (simulation.x[actor] as number) + range * random.between(-0.1, 0.1),
      y: (simulation.y[actor] as number) + range * random.between(-0.1, 0.1),
      z: simulation.z[actor] as number,
    };
    return { beside: actor, init };
  });
}
