/**
 * Perception, written as plainly as the definition.
 *
 * Problem: every detector answers this question fast; something must answer it in an obvious way. Method: one
 * function, one pair, one rounding a step (`Math.fround`), and no shared code with the engine, so that an error there
 * cannot be repeated here. Cost: one call per pair of watcher and marker and per sense.
 *
 * Interpretation: ratios take part in float32 arithmetic, so they are rounded to float32 like every other number.
 */
import type { EntityId, EntityInit, EntityPatch, Place, WorldOptions } from '../index.ts';
import { type Cells, cellsOf, isInCells } from './cells.ts';

const f32 = Math.fround;

/** The options of a world that decide perception, every default filled in. */
export interface ModelOptions {
  readonly dimensions: 2 | 3;
  readonly senses: readonly string[];
  readonly rangeShape: 'circle' | 'box' | 'cylinder';
  readonly ratio: readonly [x: number, y: number, z: number];
  /** Kinds of groups. */
  readonly groups: readonly string[];
  /** `undefined`: perception is exact. */
  readonly cells: Cells | undefined;
}

/** One entity as the definition sees it. Numbers are float32; lists are by sense, and groups by their kind. */
export interface Figure {
  // Lists are never written to (copy-on-write): a change replaces the list. So copies of a figure may share it.
  /** 0 if it is no entity. */
  id: EntityId;
  x: number;
  y: number;
  z: number;
  ranges: readonly number[];
  gains: readonly number[];
  minReaches: readonly number[];
  /** Infinity: none. */
  maxReaches: readonly number[];
  marker: boolean;
  layers: number;
  /** `undefined` while it follows `layers`. */
  sees: number | undefined;
  channel: number;
  /** A watcher must see all of these layers. */
  needs: number;
  /** The id of the only watcher that meets it; 0: any. */
  only: EntityId;
  /** Kinds of groups of which a watcher must share one; empty: none. */
  onlyKinds: readonly string[];
  updates: boolean;
  /** False: at rest. */
  watches: boolean;
  /** 0: none of that kind. */
  groups: readonly number[];
  weight: number;
  always: boolean;
  volatile: boolean;
  /** The name of its interest. */
  interest: string;
  /** Its own cap; `undefined`: its interest's. */
  cap: number | undefined;
  /** Its parent, 0 for none, and the offset from it by axis. */
  parent: EntityId;
  offset: readonly number[];
}

export function modelOptions(options: WorldOptions): ModelOptions {
  const [x, y, z = 1] = options.rangeRatio ?? [1, 1, 1];
  return {
    dimensions: options.dimensions ?? 2,
    senses: options.senses ?? ['sight'],
    rangeShape: options.rangeShape ?? 'circle',
    ratio: [f32(x), f32(y), f32(z)],
    groups: options.groups ?? ['group'],
    cells: cellsOf(options),
  };
}

/** A position as it is stored: float32, and never minus zero. */
export function storedPosition(value: number): number {
  return f32(value) + 0;
}

/**
 * A range, gain, minReach or maxReach as it is stored. The comparison with 1e-6 uses the given value, before
 * rounding.
 */
function storedMagnitude(value: number): number {
  return value < 1e-6 ? 0 : f32(value);
}

/** A new entity before its `init` is applied: it perceives nothing, and can be perceived. */
export function plainFigure(options: ModelOptions, id: EntityId = 0): Figure {
  return {
    id,
    x: 0,
    y: 0,
    z: 0,
    ranges: options.senses.map(() => 0),
    gains: options.senses.map(() => 1),
    minReaches: options.senses.map(() => 0),
    maxReaches: options.senses.map(() => Number.POSITIVE_INFINITY),
    marker: true,
    layers: 1,
    sees: undefined,
    channel: 0,
    needs: 0,
    only: 0,
    onlyKinds: [],
    updates: true,
    watches: true,
    groups: options.groups.map(() => 0),
    weight: 1,
    always: false,
    volatile: false,
    interest: 'default',
    cap: undefined,
    parent: 0,
    offset: [0, 0, 0],
  };
}

/**
 * Writes the members that `patch` names into `figure`. A record changes only the senses that it names; a single
 * number is the first sense's range (the other ranges stay), but every sense's gain, minReach and maxReach.
 */
export function applyPatch(figure: Figure, patch: EntityPatch | EntityInit, options: ModelOptions): void {
  const { range, gain, minReach, maxReach } = patch;
  if (typeof range === 'number') figure.ranges = figure.ranges.with(0, storedMagnitude(range));
  else if (range !== undefined) figure.ranges = withNamed(figure.ranges, range, options);
  if (gain !== undefined) figure.gains = withGiven(figure.gains, gain, options);
  if (minReach !== undefined) figure.minReaches = withGiven(figure.minReaches, minReach, options);
  if (maxReach !== undefined) figure.maxReaches = withGiven(figure.maxReaches, maxReach, options);
  if (patch.marker !== undefined) figure.marker = patch.marker;
  if (patch.layers !== undefined) figure.layers = patch.layers | 0;
  if (patch.sees !== undefined) figure.sees = patch.sees | 0;
  if (patch.channel !== undefined) figure.channel = patch.channel;
  if (patch.needs !== undefined) figure.needs = patch.needs | 0;
  if (patch.only !== undefined) figure.only = patch.only;
  const { onlyGroup } = patch;
  if (typeof onlyGroup === 'boolean') figure.onlyKinds = onlyGroup ? options.groups : [];
  else if (onlyGroup !== undefined) figure.onlyKinds = onlyGroup;
  if (patch.updates !== undefined) figure.updates = patch.updates;
  if (patch.watches !== undefined) figure.watches = patch.watches;
  const { group } = patch;
  if (typeof group === 'number') figure.groups = figure.groups.with(0, group);
  else if (group !== undefined)
    figure.groups = figure.groups.map((before, i) => {
      const kind = options.groups[i];
      return Object.hasOwn(group, kind) ? group[kind] : before;
    });
  if (patch.weight !== undefined) figure.weight = f32(patch.weight);
  if (patch.always !== undefined) figure.always = patch.always;
  if (patch.volatile !== undefined) figure.volatile = patch.volatile;
  if (patch.interest !== undefined) figure.interest = patch.interest;
  if (patch.cap !== undefined) figure.cap = patch.cap;
}

/** A single number is for every sense. */
function withGiven(
  values: readonly number[],
  given: number | Readonly<Record<string, number>>,
  options: ModelOptions,
): readonly number[] {
  return typeof given === 'number'
    ? values.map(() => storedMagnitude(given))
    : withNamed(values, given, options);
}

function withNamed(
  values: readonly number[],
  named: Readonly<Record<string, number>>,
  { senses }: ModelOptions,
): readonly number[] {
  return values.map((before, i) =>
    Object.hasOwn(named, senses[i]) ? storedMagnitude(named[senses[i]]) : before,
  );
}

/** Whether it watches and has a range above 0 in some sense. */
export function hasRange(figure: Figure): boolean {
  return figure.watches && figure.ranges.some((range) => range > 0);
}

/** Whether nothing but distance can keep this watcher from perceiving the other entity. */
export function meets(watcher: Figure, marker: Figure, options: ModelOptions): boolean {
  return watcher !== marker && marker.marker && obstacle(watcher, marker, options) === undefined;
}

/** The first obstacle between the two, of layers, channels and the marker's conditions, in this order. */
export function obstacle(
  watcher: Figure,
  marker: Figure,
  options: ModelOptions,
): 'layers' | 'channel' | 'needs' | 'only' | 'only-group' | undefined {
  return sharesLayer(watcher, marker) ? obstacleBesideLayers(watcher, marker, options) : 'layers';
}

/** As `obstacle`, whatever their layers. */
export function obstacleBesideLayers(
  watcher: Figure,
  marker: Figure,
  options: ModelOptions,
): 'channel' | 'needs' | 'only' | 'only-group' | undefined {
  if (!sharesChannel(watcher, marker)) return 'channel';
  if (((watcher.sees ?? watcher.layers) & marker.needs) !== marker.needs) return 'needs';
  if (marker.only !== 0 && marker.only !== watcher.id) return 'only';
  if (marker.onlyKinds.length === 0) return undefined;
  const isFellow = options.groups.some((kind, i) => {
    return (
      marker.onlyKinds.includes(kind) && marker.groups[i] !== 0 && marker.groups[i] === watcher.groups[i]
    );
  });
  return isFellow ? undefined : 'only-group';
}

/** Whether the marker is on a layer that the watcher sees. */
function sharesLayer(watcher: Figure, marker: Figure): boolean {
  return ((watcher.sees ?? watcher.layers) & marker.layers) !== 0;
}

function sharesChannel(watcher: Figure, marker: Figure): boolean {
  return watcher.channel === marker.channel || watcher.channel === 0 || marker.channel === 0;
}

/** Keeps a related pair slightly beyond its reach. */
export interface Hold {
  /** World units, float32. */
  readonly margin: number;
  /** The senses that perceived the marker at the last tick: only they are margin-held. */
  readonly senses: number;
}

const NOT_HELD: Hold = { margin: 0, senses: 0 };

/** The senses with which `watcher` perceives `marker`: bit i for sense i, 0 for none. */
export function perceivedSenses(
  watcher: Figure,
  marker: Figure,
  options: ModelOptions,
  hold: Hold = NOT_HELD,
): number {
  if (!meets(watcher, marker, options)) return 0;
  let mask = 0;
  for (let sense = 0; sense < options.senses.length; sense++) {
    const isHeld = (hold.senses & (1 << sense)) !== 0 && baseOf(watcher, marker, sense) > 0;
    const reach = f32(reachOf(watcher, marker, sense) + (isHeld ? hold.margin : 0));
    if (reach > 0 && isInside(watcher, marker, reach, options)) mask |= 1 << sense;
  }
  return mask;
}

/** Ids of the watchers that would perceive a marker at a place, ascending. */
export function watchersOfPlace(
  figures: Iterable<readonly [EntityId, Readonly<Figure>]>,
  place: Place,
  options: ModelOptions,
): Uint32Array {
  const { x, y, z = 0, senses = options.senses, ...traits } = place;
  const figure = plainFigure(options);
  applyPatch(figure, traits, options);
  figure.x = storedPosition(x);
  figure.y = storedPosition(y);
  figure.z = options.dimensions === 2 ? 0 : storedPosition(z);
  const counted = senses.reduce((mask, sense) => mask | (1 << options.senses.indexOf(sense)), 0);
  const ids: EntityId[] = [];
  for (const [id, watcher] of figures) {
    if ((perceivedSenses(watcher, figure, options) & counted) !== 0) ids.push(id);
  }
  return Uint32Array.from(ids).sort();
}

/** How far this watcher perceives that marker in one sense, world units, without margin; 0 for not at all. */
export function reachOf(watcher: Figure, marker: Figure, sense: number): number {
  const base = baseOf(watcher, marker, sense);
  if (!(base > 0)) return 0;
  return Math.min(Math.max(base, marker.minReaches[sense]), marker.maxReaches[sense]);
}

function baseOf(watcher: Figure, marker: Figure, sense: number): number {
  return watcher.watches ? f32(watcher.ranges[sense] * marker.gains[sense]) : 0;
}

/** d2 of the definition: world units squared, float32. */
export function squaredDistance(watcher: Figure, marker: Figure, options: ModelOptions): number {
  const dx = f32(marker.x - watcher.x);
  const dy = f32(marker.y - watcher.y);
  const inPlane = f32(f32(dx * dx) + f32(dy * dy));
  if (options.dimensions === 2) return inPlane;
  const dz = f32(marker.z - watcher.z);
  return f32(inPlane + f32(dz * dz));
}

export function isInside(watcher: Figure, marker: Figure, reach: number, options: ModelOptions): boolean {
  const [ratioX, ratioY, ratioZ] = options.ratio;
  const isFlat = options.dimensions === 2;
  if (options.cells !== undefined) return isInCells(watcher, marker, reach, options.cells, isFlat);
  const dx = f32(marker.x - watcher.x);
  const dy = f32(marker.y - watcher.y);
  const dz = isFlat ? 0 : f32(marker.z - watcher.z);
  switch (options.rangeShape) {
    case 'circle':
      return squaredDistance(watcher, marker, options) <= f32(reach * reach);
    case 'box':
      return (
        Math.abs(dx) <= f32(reach * ratioX) &&
        Math.abs(dy) <= f32(reach * ratioY) &&
        (isFlat || Math.abs(dz) <= f32(reach * ratioZ))
      );
    case 'cylinder':
      return f32(f32(dx * dx) + f32(dy * dy)) <= f32(reach * reach) && Math.abs(dz) <= f32(reach * ratioZ);
  }
}
