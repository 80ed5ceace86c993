/**
 * Whole rows whose candidates a user's function ranks (`rank`). A kernel reads the row, the function ranks the candidates if there are
 * more than seats, and the kernel assigns the seats: kernels/wasm/seat-search.ts.
 *
 *   readRanked -> candidates: slots, distances, standings -> the function -> ranks -> seatRanked -> edits
 *
 * Functions are called on the world's own thread, so these rows are decided there, too. Cost: some 20 ns a candidate, and the function.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import * as job from '../../kernels/layouts/seat-search.ts';
import type { ResolvedInterest } from '../rules/interest.ts';
import { withBonus } from '../rules/rank.ts';
import type { SeatJobs } from './seat-jobs.ts';

/**
 * Decides those of the queued watchers (slots, ascending) that a function ranks for. `longest`: the most pairs that a row may have;
 * `write`: writes the job. Throws what the function throws.
 */
export function decideRanked(
  { heap, ids, now }: EntityStore,
  jobs: SeatJobs,
  interests: readonly ResolvedInterest[],
  queued: Uint32Array,
  longest: number,
  write: () => void,
): void {
  // A copy, because columns move with the heap.
  const ranked = Array.from(queued).flatMap((watcher) => {
    const { rank, incumbentBonus } = interests[now.interests.at(watcher)];
    return rank === undefined ? [] : [{ watcher, rank, incumbentBonus }];
  });
  if (ranked.length === 0) return;
  const open = () => {
    write();
    jobs.beginHere();
    heap.kernels.openRanked(jobs.offset);
    return jobs.candidates;
  };
  const { idOf } = ids;
  let columns = open();
  for (const { watcher, rank, incumbentBonus } of ranked) {
    let count = heap.kernels.readRanked(jobs.offset, watcher) >>> 0;
    if (count === job.NO_ROOM) {
      jobs.endHere();
      jobs.growEdits(longest);
      columns = open();
      count = heap.kernels.readRanked(jobs.offset, watcher) >>> 0;
    }
    if (count === 0 || count === job.NOT_DECIDED) continue;
    const { slots, distances, standings, ranks } = columns;
    const id = idOf[watcher];
    for (let i = 0; i < count; i++) {
      const own = Number(rank(id, idOf[slots[i]], distances[i]));
      ranks[i] = withBonus(own, standings[i] !== job.NEW, incumbentBonus);
    }
    heap.kernels.seatRanked(jobs.offset);
  }
  jobs.endHere();
}
