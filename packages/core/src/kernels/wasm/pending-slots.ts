// See ../layouts/pending-slots.ts, which draws the job.
import { ADDED, CHANGED, MOVED, REMOVED, TOUCHED } from '../layouts/pending-bits';
import { FOUND_WORDS, PENDING_JOB_WORDS } from '../layouts/pending-slots';
import { floatAt, setWord, wordAt } from './job';

const JOB_BYTES: usize = PENDING_JOB_WORDS << 2;
const FOUND_BYTES: usize = FOUND_WORDS << 2;

export function settlePending(job: usize, from: u32, to: u32): u32 {
  const pending = <usize>load<u32>(job);
  const slots = <usize>load<u32>(job, 4);
  const nowX = <usize>load<u32>(job, 8);
  const nowY = <usize>load<u32>(job, 12);
  const nowZ = <usize>load<u32>(job, 16);
  const lastX = <usize>load<u32>(job, 20);
  const lastY = <usize>load<u32>(job, 24);
  const lastZ = <usize>load<u32>(job, 28);
  const found = job + JOB_BYTES + <usize>(from / load<u32>(job, 32)) * FOUND_BYTES;
  memory.fill(found, 0, FOUND_BYTES);
  let kept = from;
  let onlyMoved: u32 = 0;
  for (let i = from; i < to; i++) {
    const slot = wordAt(slots, i);
    let bits = <u32>load<u8>(pending + <usize>slot);
    if (bits == MOVED) {
      // By far the most frequent case: a move and nothing else. The entity is almost never back at its last position, so the rest
      // needs no branch.
      const isAway =
        u32(floatAt(nowX, slot) != floatAt(lastX, slot)) |
        u32(floatAt(nowY, slot) != floatAt(lastY, slot)) |
        u32(floatAt(nowZ, slot) != floatAt(lastZ, slot));
      store<u8>(pending + <usize>slot, isAway << 2);
      setWord(slots, kept, slot);
      kept += isAway;
      onlyMoved += isAway;
      continue;
    }
    if ((bits & (ADDED | REMOVED)) != 0) {
      if ((bits & REMOVED) == 0) bits = ADDED;
      else bits = (bits & ADDED) == 0 ? REMOVED : 0;
    } else if ((bits & MOVED) != 0) {
      const isBack =
        floatAt(nowX, slot) == floatAt(lastX, slot) &&
        floatAt(nowY, slot) == floatAt(lastY, slot) &&
        floatAt(nowZ, slot) == floatAt(lastZ, slot);
      if (isBack) bits &= ~MOVED;
    }
    store<u8>(pending + <usize>slot, bits);
    if (bits == 0) continue;
    setWord(slots, kept++, slot);
    if ((bits & ADDED) != 0) count(found, 4);
    if ((bits & REMOVED) != 0) count(found, 8);
    if ((bits & MOVED) != 0) count(found, 12);
    if ((bits & CHANGED) != 0) count(found, 20);
    if ((bits & TOUCHED) != 0) count(found, 24);
  }
  store<u32>(found, kept - from);
  store<u32>(found, load<u32>(found, 12) + onlyMoved, 12);
  store<u32>(found, onlyMoved, 16);
  return to;
}

@inline
function count(found: usize, at: usize): void {
  store<u32>(found + at, load<u32>(found + at) + 1);
}

export function endMoves(job: usize, from: u32, to: u32): u32 {
  const begin = <usize>from << 2;
  const bytes = <usize>(to - from) << 2;
  for (let axis: usize = 0; axis < 12; axis += 4) {
    memory.copy(<usize>load<u32>(job + axis, 20) + begin, <usize>load<u32>(job + axis, 8) + begin, bytes);
  }
  memory.fill(<usize>load<u32>(job) + <usize>from, 0, to - from);
  return to;
}
