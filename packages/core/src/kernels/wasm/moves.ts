// See ../layouts/moves.ts, which draws the job.
import { MOVE_FOUND_WORDS, MOVE_JOB_WORDS } from '../layouts/moves';
import { MOVED } from '../layouts/pending-bits';
import { floatAt, setFloat, setWord, wordAt } from './job';

const JOB_BYTES: usize = MOVE_JOB_WORDS << 2;
const FOUND_BYTES: usize = MOVE_FOUND_WORDS << 2;
const MAX_DISTANCE: f32 = 1e12;

export function checkMoves(job: usize, from: u32, to: u32): u32 {
  const ids = <usize>load<u32>(job);
  const x = <usize>load<u32>(job, 4);
  const y = <usize>load<u32>(job, 8);
  const z = load<u32>(job, 56) == 3 ? <usize>load<u32>(job, 12) : y;
  const idOf = <usize>load<u32>(job, 16);
  const flags = <usize>load<u32>(job, 20);
  const slotCount = load<u32>(job, 24);
  let previous: i64 = -1;
  let doAscend = true;
  for (let i = from; i < to; i++) {
    const id = wordAt(ids, i);
    const slot = id >>> 10;
    if (slot >= slotCount || wordAt(idOf, slot) != id || load<u8>(flags + <usize>slot) == 0) return i;
    const areNumbers =
      i32(Mathf.abs(floatAt(x, i)) <= MAX_DISTANCE) &
      i32(Mathf.abs(floatAt(y, i)) <= MAX_DISTANCE) &
      i32(Mathf.abs(floatAt(z, i)) <= MAX_DISTANCE);
    if (areNumbers == 0) return i;
    if (<i64>id <= previous) doAscend = false;
    previous = <i64>id;
  }
  store<u32>(foundOf(job, from), doAscend ? 1 : 0);
  return to;
}

export function writeMoves(job: usize, from: u32, to: u32): u32 {
  const ids = <usize>load<u32>(job);
  const x = <usize>load<u32>(job, 4);
  const y = <usize>load<u32>(job, 8);
  const z = <usize>load<u32>(job, 12);
  const nowX = <usize>load<u32>(job, 28);
  const nowY = <usize>load<u32>(job, 32);
  const nowZ = <usize>load<u32>(job, 36);
  const pending = <usize>load<u32>(job, 40);
  const list = ids + (<usize>from << 2);
  const is3D = load<u32>(job, 56) == 3;
  let listed: u32 = 0;
  for (let i = from; i < to; i++) {
    const slot = wordAt(ids, i) >>> 10;
    setFloat(nowX, slot, floatAt(x, i) + 0);
    setFloat(nowY, slot, floatAt(y, i) + 0);
    if (is3D) setFloat(nowZ, slot, floatAt(z, i) + 0);
    const bits = <u32>load<u8>(pending + <usize>slot);
    setWord(list, listed, slot);
    listed += u32(bits == 0);
    store<u8>(pending + <usize>slot, bits | MOVED);
  }
  store<u32>(foundOf(job, from), listed, 4);
  return to;
}

@inline
function foundOf(job: usize, from: u32): usize {
  return job + JOB_BYTES + <usize>(from / load<u32>(job, 52)) * FOUND_BYTES;
}
