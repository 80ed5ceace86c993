// Offsets from a mover to four stationary entries, in any shape and dimensions, and which of the entries are within a reach.
import { BOX, CIRCLE, CYLINDER } from '../layouts/perception';
import { DIMENSIONS, NEW_X, NEW_Y, NEW_Z, OLD_X, OLD_Y, OLD_Z, RATIO_X, RATIO_Y, RATIO_Z, SHAPE, WAYS } from '../layouts/sweep-job';
import { column, floatAt, word } from './job';
import {
  Mask, absolute, add, allFloats, both, floatsAt, floatsOf, isAtMost, mul, setFloats, sub,
} from './lanes';

/**
 * Writes the offsets to four stationary entries, from the mover's present and former position, to memory: squared if the shape is
 * round, else by axis.
 */
@inline
export function openWays(job: usize, mover: u32, first: u32): void {
  const ways = job + (WAYS << 2);
  const newX = column(job, NEW_X);
  const newY = column(job, NEW_Y);
  const shape = word(job, SHAPE);
  const is3D = word(job, DIMENSIONS) == 3;
  const own = <usize>mover << 2;
  const at = <usize>first << 2;
  const atX = floatsAt(newX + at);
  const atY = floatsAt(newY + at);
  const newDx = sub(atX, floatsOf(newX + own));
  const newDy = sub(atY, floatsOf(newY + own));
  const oldDx = sub(atX, floatsOf(column(job, OLD_X) + own));
  const oldDy = sub(atY, floatsOf(column(job, OLD_Y) + own));
  let newDz = allFloats(0);
  let oldDz = allFloats(0);
  if (is3D) {
    const newZ = column(job, NEW_Z);
    const atZ = floatsAt(newZ + at);
    newDz = sub(atZ, floatsOf(newZ + own));
    oldDz = sub(atZ, floatsOf(column(job, OLD_Z) + own));
  }
  if (shape == BOX) {
    setFloats(ways, absolute(newDx));
    setFloats(ways + 16, absolute(newDy));
    setFloats(ways + 64, absolute(oldDx));
    setFloats(ways + 80, absolute(oldDy));
  } else {
    let newSquared = add(mul(newDx, newDx), mul(newDy, newDy));
    let oldSquared = add(mul(oldDx, oldDx), mul(oldDy, oldDy));
    if (shape == CIRCLE && is3D) {
      newSquared = add(newSquared, mul(newDz, newDz));
      oldSquared = add(oldSquared, mul(oldDz, oldDz));
    }
    setFloats(ways, newSquared);
    setFloats(ways + 64, oldSquared);
  }
  setFloats(ways + 32, absolute(newDz));
  setFloats(ways + 96, absolute(oldDz));
}

/** Which of the four are within a reach of the mover's present or former position. */
@inline
export function areIn(job: usize, reach: f32, isNow: bool): Mask {
  const shape = word(job, SHAPE);
  const way = job + (WAYS << 2) + (isNow ? 0 : 64);
  let inside: Mask;
  if (shape == BOX) {
    inside = both(
      isAtMost(floatsAt(way), allFloats(reach * floatAt(job, RATIO_X))),
      isAtMost(floatsAt(way + 16), allFloats(reach * floatAt(job, RATIO_Y))),
    );
  } else {
    inside = isAtMost(floatsAt(way), allFloats(reach * reach));
  }
  if (shape == CYLINDER || (shape == BOX && word(job, DIMENSIONS) == 3)) {
    inside = both(inside, isAtMost(floatsAt(way + 32), allFloats(reach * floatAt(job, RATIO_Z))));
  }
  return inside;
}
