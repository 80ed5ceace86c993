// See ../layouts/edit-pairs.ts, which explains the job's words.
import * as layout from '../layouts/edit-pairs';
import {
  ENDS, HELD, MARKERS, PLACES, ROW_MARKERS, ROW_REPORTED, ROW_SINCE, ROW_STATES, SIZES, STARTS, STATES, TICK, WATCHERS, WATCHER_COUNT,
} from '../layouts/edit-pairs';
import { column, setWord, word, wordAt } from './job';
import { isMarginHeld } from './perception';

const INSERT: u32 = layout.INSERT;

export function editPairs(job: usize): void {
  const watchers = column(job, WATCHERS);
  const ends = column(job, ENDS);
  const watcherCount = word(job, WATCHER_COUNT);
  const places = column(job, PLACES);
  const markers = column(job, MARKERS);
  const states = column(job, STATES);
  const starts = column(job, STARTS);
  const sizes = column(job, SIZES);
  const held = column(job, HELD);
  const rowMarkers = column(job, ROW_MARKERS);
  const rowStates = column(job, ROW_STATES);
  const rowSince = column(job, ROW_SINCE);
  const rowReported = column(job, ROW_REPORTED);
  const tick = word(job, TICK);
  let first: u32 = 0;
  for (let w: u32 = 0; w < watcherCount; w++) {
    const watcher = wordAt(watchers, w);
    const end = wordAt(ends, w);
    const begin = wordAt(starts, watcher);
    let rowEnd = begin + wordAt(sizes, watcher);
    let heldCount = wordAt(held, watcher);
    for (let e = end; e > first; e--) {
      const place = wordAt(places, e - 1);
      const pair = begin + (place & ~INSERT);
      const after = wordAt(states, e - 1);
      if (place >= INSERT) {
        for (let i = rowEnd; i > pair; i--) {
          setWord(rowMarkers, i, wordAt(rowMarkers, i - 1));
          setWord(rowStates, i, wordAt(rowStates, i - 1));
          setWord(rowSince, i, wordAt(rowSince, i - 1));
          setWord(rowReported, i, wordAt(rowReported, i - 1));
        }
        rowEnd++;
        setWord(rowMarkers, pair, wordAt(markers, e - 1));
        setWord(rowSince, pair, tick);
        setWord(rowReported, pair, tick);
        setWord(rowStates, pair, after);
      } else {
        heldCount -= u32(isMarginHeld(wordAt(rowStates, pair)));
        if (after == 0) {
          rowEnd--;
          for (let i = pair; i < rowEnd; i++) {
            setWord(rowMarkers, i, wordAt(rowMarkers, i + 1));
            setWord(rowStates, i, wordAt(rowStates, i + 1));
            setWord(rowSince, i, wordAt(rowSince, i + 1));
            setWord(rowReported, i, wordAt(rowReported, i + 1));
          }
        } else setWord(rowStates, pair, after);
      }
      heldCount += u32(isMarginHeld(after));
    }
    setWord(sizes, watcher, rowEnd - begin);
    setWord(held, watcher, heldCount);
    first = end;
  }
}

