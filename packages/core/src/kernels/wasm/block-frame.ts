// The frame about a group of watchers, sixteen bits an axis: part of what ../seat-blocks.ts draws.
import { column, setWord, wordAt } from './job';
import { BLOCK_NODES, BLOCK_SIZE, BOX_BYTES, FRAME } from './crowd-job';
import { list, listCount } from './block-rows';
import { boxes, is3D, treeX, treeY, treeZ } from './crowd-tree';

/** By axis: where the listed are, then the least and the greatest of each block; 16 bits each. */
export const AXIS_BYTES: usize = 2304;
export const LEASTS: usize = 2048;
export const GREATESTS: usize = 2176;
/** Behind all axes: what is kept of each watcher of the group. */
export const KEPT: usize = 6912;
/** Behind that: what entries of each block begin from; see block-scan.ts. */
export const FIRSTS: usize = 7168;
/** Slots are below this, and so are places; above it is the block's place in the list. */
export const PLACE_WIDTH: u32 = 22;
/** Steps from the frame's middle to its end, and a watcher's from there: differences are no more than 32,767. */
const STEPS: f32 = 32766;
/** Squares of steps are kept in so many steps. */
const OF_SQUARE: f32 = 1.0 / 32768.0;
/** So large a number has no bits for fractions. */
const ROUNDING: f32 = 12582912;
/** A distance is known to one step on each axis, its square to twice as many steps as it is long times the root of three. */
const LOST: f32 = 3.5;

/** Steps a world unit, at most. */
const FINEST: f32 = 1e22;

export let frame: usize = 0;
// Of the group at hand: the frame's middle, and steps a world unit.
export let middleX: f32 = 0;
export let middleY: f32 = 0;
export let middleZ: f32 = 0;
let scale: f32 = 0;
let nodes: usize = 0;

/** Takes up the job's columns. */
export function takeFrame(job: usize): void {
  frame = column(job, FRAME);
  nodes = column(job, BLOCK_NODES);
}

/** Puts all that are listed into the group's frame, as far as `farthest` from it: sixteen bits an axis. False where it has none. */
export function openFrame(node: u32, farthest: f32): bool {
  const box = boxes + (<usize>node) * BOX_BYTES;
  const least = v128.load(box);
  const greatest = v128.load(box, 16);
  const middle = f32x4.mul(f32x4.add(least, greatest), f32x4.splat(0.5));
  // The middle may be a whole step of float32 off: it is not the same way to both ends.
  const extents = f32x4.max(f32x4.sub(greatest, middle), f32x4.sub(middle, least));
  const half: f32 =
    max(f32x4.extract_lane(extents, 0), max(f32x4.extract_lane(extents, 1), f32x4.extract_lane(extents, 2))) * 1.01;
  const wide: f32 = half + farthest * 1.01 + 1e-30;
  const limit = STEPS * (wide / (wide + half));
  scale = limit / wide;
  // Who is everywhere has no frame, nor who stands so close that squares come to nothing.
  if (!(scale > 0 && scale < FINEST)) return false;
  middleX = f32x4.extract_lane(middle, 0);
  middleY = f32x4.extract_lane(middle, 1);
  middleZ = f32x4.extract_lane(middle, 2);
  frameAxis(treeX, frame, middleX, limit);
  frameAxis(treeY, frame + AXIS_BYTES, middleY, limit);
  if (is3D) frameAxis(treeZ, frame + 2 * AXIS_BYTES, middleZ, limit);
  frameBoxes(middle, limit);
  return true;
}

function frameAxis(from: usize, to: usize, middle: f32, limit: f32): void {
  const zero = f32x4.splat(middle);
  const steps = f32x4.splat(scale);
  const greatest = f32x4.splat(limit);
  const least = f32x4.splat(-limit);
  for (let k: u32 = 0; k < listCount; k++) {
    const block = from + (<usize>(wordAt(list, k) * BLOCK_SIZE) << 2);
    v128.store(to, i16x8.narrow_i32x4_s(
      stepsOf(v128.load(block), zero, steps, least, greatest), stepsOf(v128.load(block, 16), zero, steps, least, greatest)));
    v128.store(to, i16x8.narrow_i32x4_s(
      stepsOf(v128.load(block, 32), zero, steps, least, greatest), stepsOf(v128.load(block, 48), zero, steps, least, greatest)), 16);
    to += 32;
  }
}

/** The boxes of all that are listed: by axis the least, then the greatest of each block. */
function frameBoxes(middle: v128, limit: f32): void {
  const steps = f32x4.splat(scale);
  const greatest = f32x4.splat(limit);
  const least = f32x4.splat(-limit);
  let to = frame;
  for (let k: u32 = 0; k < listCount; k++) {
    const block = wordAt(list, k);
    setWord(frame + FIRSTS, k, (k << PLACE_WIDTH) | (block * BLOCK_SIZE));
    const box = boxes + <usize>wordAt(nodes, block) * BOX_BYTES;
    const corners = i16x8.narrow_i32x4_s(
      stepsOf(v128.load(box), middle, steps, least, greatest), stepsOf(v128.load(box, 16), middle, steps, least, greatest));
    v128.store16_lane(to + LEASTS, corners, 0);
    v128.store16_lane(to + AXIS_BYTES + LEASTS, corners, 1);
    v128.store16_lane(to + GREATESTS, corners, 4);
    v128.store16_lane(to + AXIS_BYTES + GREATESTS, corners, 5);
    if (is3D) {
      v128.store16_lane(to + 2 * AXIS_BYTES + LEASTS, corners, 2);
      v128.store16_lane(to + 2 * AXIS_BYTES + GREATESTS, corners, 6);
    }
    to += 2;
  }
}

// @ts-ignore: decorator
@inline
function stepsOf(values: v128, middle: v128, steps: v128, least: v128, greatest: v128): v128 {
  const away = f32x4.mul(f32x4.sub(values, middle), steps);
  // The lowest bits of the sum are the whole number that was added.
  const rounded = f32x4.add(f32x4.pmin(f32x4.pmax(away, least), greatest), f32x4.splat(ROUNDING));
  return i32x4.sub(rounded, f32x4.splat(ROUNDING));
}

// @ts-ignore: decorator
@inline
export function stepsOfOne(value: f32, middle: f32): v128 {
  return i16x8.splat(<i16>nearest<f32>((value - middle) * scale));
}

/** In steps: whose square is less is nearer for certain. */
// @ts-ignore: decorator
@inline
export function certainlyNearer(distance: f32): v128 {
  const steps = distance * scale;
  const square: f32 = (steps * steps - LOST * steps - 4) * OF_SQUARE - 2;
  return i16x8.splat(<i16>max<f32>(square, -1));
}

/** In steps: whose square is greater is farther for certain. */
// @ts-ignore: decorator
@inline
export function certainlyNotFarther(distance: f32): v128 {
  const steps = distance * scale;
  const square: f32 = (steps * steps + LOST * steps + 4) * OF_SQUARE + 3;
  return i16x8.splat(<i16>min<f32>(square, 32766));
}
