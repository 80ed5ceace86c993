// See ../layouts/count-relations.ts, which says what the job's words are.
import { RELATED_AFTER, RELATED_BEFORE } from '../layouts/crossing-bits';

export function findReached(job: usize, from: u32): u32 {
  const words = <usize>load<u32>(job);
  const count = load<u32>(job, 4);
  const isEasy = <usize>load<u32>(job, 8);
  const relations = <usize>load<u32>(job, 12);
  const limits = <usize>load<u32>(job, 16);
  let previous: u32 = ~0;
  let crossed: u32 = 0;
  for (let i = from; i < count; i++) {
    const watcher = <usize>(load<u32>(words + (<usize>i << 3), 4) >>> 10);
    crossed = (crossed & (0 - u32(<u32>watcher == previous))) + 1;
    previous = <u32>watcher;
    const isPast = load<u32>(relations + (watcher << 2)) + crossed > load<u32>(limits + (watcher << 2));
    if (isPast && load<u8>(isEasy + watcher) != 0) return i;
  }
  return count;
}

export function countRelations(job: usize, from: u32): u32 {
  const words = <usize>load<u32>(job);
  const count = load<u32>(job, 4);
  const isEasy = <usize>load<u32>(job, 8);
  const relations = <usize>load<u32>(job, 12);
  const limits = <usize>load<u32>(job, 16);
  for (let i = from; i < count; i++) {
    const low = load<u32>(words + (<usize>i << 3));
    const watcher = <usize>(load<u32>(words + (<usize>i << 3), 4) >>> 10);
    const easy = <u32>load<u8>(isEasy + watcher);
    const entered = u32((low & RELATED_BEFORE) == 0);
    const related = load<u32>(relations + (watcher << 2)) + (entered - u32((low & RELATED_AFTER) == 0)) * easy;
    store<u32>(relations + (watcher << 2), related);
    const limit = load<u32>(limits + (watcher << 2));
    if (related > limit - (limit >>> 2) && (entered & easy) != 0) return i;
  }
  return count;
}
