// See ../layouts/report-rated.ts, which explains the job's words.
import {
  CHANGED_AT, ENDS, IDS, MARKERS, OWING, OWING_COUNT, REPORTED, RINGS, RINGS_OF, SIZES, STARTS, STATES, STATE_MASK, STATE_REPORTED, TICK, DUE, WATCHERS, WATCHER_COUNT, X, Y, Z,
} from '../layouts/report-rated';
import { column, floatAt, setWord, word, wordAt } from './job';

export function reportRated(job: usize): u32 {
  const watchers = column(job, WATCHERS);
  const watcherCount = word(job, WATCHER_COUNT);
  const starts = column(job, STARTS);
  const sizes = column(job, SIZES);
  const markers = column(job, MARKERS);
  const states = column(job, STATES);
  const reported = column(job, REPORTED);
  const changedAt = column(job, CHANGED_AT);
  const x = column(job, X);
  const y = column(job, Y);
  const z = column(job, Z);
  const ids = column(job, IDS);
  const ringsOf = column(job, RINGS_OF);
  const rings = column(job, RINGS);
  const tick = word(job, TICK);
  const mask = word(job, STATE_MASK);
  const reportedState = word(job, STATE_REPORTED);
  const due = column(job, DUE);
  const ends = column(job, ENDS);
  const owing = column(job, OWING);
  let owingCount: u32 = 0;
  let count: u32 = 0;
  for (let w: u32 = 0; w < watcherCount; w++) {
    const watcher = wordAt(watchers, w);
    const firstRing = rings + (<usize>wordAt(ringsOf, w) << 2);
    const ringsEnd = firstRing + (<usize>load<u32>(firstRing) << 3) - 4;
    const ownX = floatAt(x, watcher);
    const ownY = floatAt(y, watcher);
    const ownZ: f32 = z == 0 ? 0 : floatAt(z, watcher);
    const begin = wordAt(starts, watcher);
    const end = begin + wordAt(sizes, watcher);
    let owes: u32 = 0;
    for (let i = begin; i < end; i++) {
      const marker = wordAt(markers, i);
      const since = wordAt(reported, i);
      const state = wordAt(states, i);
      const hasChanged = u32(wordAt(changedAt, marker) > since);
      const isAsked = u32((state & mask) == reportedState) & hasChanged;
      const dx = floatAt(x, marker) - ownX;
      const dy = floatAt(y, marker) - ownY;
      let squared = dx * dx + dy * dy;
      if (z != 0) {
        const dz = floatAt(z, marker) - ownZ;
        squared += dz * dz;
      }
      // In which ring a marker is, and whether it is due, is unpredictable: so none of this is a branch.
      let ring = firstRing + 4;
      for (let r = firstRing + 4; r < ringsEnd; r += 8) ring += usize(!(squared <= load<f32>(r))) << 3;
      const everyTicks = load<u32>(ring, 4);
      const isDue = isAsked & (u32(tick - since >= everyTicks) | u32((tick + marker) % everyTicks == 0));
      setWord(reported, i, isDue != 0 ? tick : since);
      owes |= u32((state & reportedState) != 0) & hasChanged & (isDue ^ 1);
      setWord(due, count, wordAt(ids, marker));
      count += isDue;
    }
    setWord(ends, w, count);
    setWord(owing, owingCount, watcher);
    owingCount += owes;
  }
  setWord(job, OWING_COUNT, owingCount);
  return count;
}
