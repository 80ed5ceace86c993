// See ../layouts/count-relations.ts, which explains the job's words.
import { CROSSINGS, CROSSING_COUNT, IS_DERIVED, LIMITS, RELATIONS } from '../layouts/count-relations';
import { RELATED_AFTER, RELATED_BEFORE } from '../layouts/crossing-bits';
import { column, setWord, word, wordAt } from './job';

let words: usize = 0;
let count: u32 = 0;
let isDerived: usize = 0;
let relations: usize = 0;
let limits: usize = 0;

function open(job: usize): void {
  words = column(job, CROSSINGS);
  count = word(job, CROSSING_COUNT);
  isDerived = column(job, IS_DERIVED);
  relations = column(job, RELATIONS);
  limits = column(job, LIMITS);
}

/** The slot of a crossing's watcher. */
@inline
function watcherAt(i: u32): u32 {
  return load<u32>(words + (<usize>i << 3), 4) >>> 10;
}

export function findReached(job: usize, from: u32): u32 {
  open(job);
  let previous: u32 = ~0;
  let crossed: u32 = 0;
  for (let i = from; i < count; i++) {
    const watcher = watcherAt(i);
    // Only a pair that was not perceived before can add a relation.
    const entered = u32((load<u32>(words + (<usize>i << 3)) & RELATED_BEFORE) == 0);
    crossed = (crossed & (0 - u32(watcher == previous))) + entered;
    previous = watcher;
    const isPast = wordAt(relations, watcher) + crossed > wordAt(limits, watcher);
    if (isPast && load<u8>(isDerived + watcher) != 0) return i;
  }
  return count;
}

export function countRelations(job: usize, from: u32): u32 {
  open(job);
  for (let i = from; i < count; i++) {
    const low = load<u32>(words + (<usize>i << 3));
    const watcher = watcherAt(i);
    const derived = <u32>load<u8>(isDerived + watcher);
    const entered = u32((low & RELATED_BEFORE) == 0);
    const related = wordAt(relations, watcher) + (entered - u32((low & RELATED_AFTER) == 0)) * derived;
    setWord(relations, watcher, related);
    const limit = wordAt(limits, watcher);
    if (related > limit - (limit >>> 2) && (entered & derived) != 0) return i;
  }
  return count;
}
