// See ../layouts/fill-report.ts, which draws the job.
import { RELATED_AFTER, RELATED_BEFORE } from '../layouts/crossing-bits';
import * as layout from '../layouts/fill-report';
import { COUNTED, FILL_JOB_HEAD, FILL_PART_WORDS, LAST_WATCHER, MARKERS, ROWS, SENSES_MASK } from '../layouts/fill-report';
import { setWord, wordAt } from './job';

const NO_WATCHER: u32 = layout.NO_WATCHER;

export function countReport(job: usize, from: u32, to: u32): u32 {
  const words = <usize>load<u32>(job);
  const part = partOf(job, from);
  memory.fill(part + (COUNTED << 2), 0, 24);
  for (let kind: usize = 0; kind < 96; kind += 32) store<u32>(part + kind, NO_WATCHER, LAST_WATCHER << 2);
  const end = rowBegin(job, to);
  for (let i = rowBegin(job, from); i < end; i++) {
    const at = words + (<usize>i << 3);
    const watcher = load<u32>(at, 4) >>> 10;
    const kind = kindOf(load<u32>(at));
    const k = part + (kind << 5);
    const counted = part + (kind << 3);
    store<u32>(counted, load<u32>(counted, COUNTED << 2) + u32(load<u32>(k, LAST_WATCHER << 2) != watcher), COUNTED << 2);
    store<u32>(counted, load<u32>(counted, (COUNTED << 2) + 4) + 1, (COUNTED << 2) + 4);
    store<u32>(k, watcher, LAST_WATCHER << 2);
  }
  return to;
}

export function fillReport(job: usize, from: u32, to: u32): u32 {
  const words = <usize>load<u32>(job);
  const idOf = <usize>load<u32>(job, 8);
  const part = partOf(job, from);
  const end = rowBegin(job, to);
  for (let i = rowBegin(job, from); i < end; i++) {
    const low = load<u32>(words + (<usize>i << 3));
    const high = load<u32>(words + (<usize>i << 3), 4);
    const watcher = high >>> 10;
    const k = part + (kindOf(low) << 5);
    const rows = load<u32>(k, ROWS << 2) + u32(load<u32>(k, LAST_WATCHER << 2) != watcher);
    const at = load<u32>(k, MARKERS << 2);
    // If the watcher has a row already, this writes the same id again.
    setWord(<usize>load<u32>(k), rows - 1, wordAt(idOf, watcher));
    setWord(<usize>load<u32>(k, 4), rows, at + 1);
    setWord(<usize>load<u32>(k, 8), at, wordAt(idOf, ((high & 1023) << 12) | (low >>> 20)));
    store<u8>(<usize>load<u32>(k, 12) + <usize>(at & load<u32>(k, SENSES_MASK << 2)), low >>> 8);
    store<u32>(k, rows, ROWS << 2);
    store<u32>(k, at + 1, MARKERS << 2);
    store<u32>(k, watcher, LAST_WATCHER << 2);
  }
  return to;
}

@inline
function partOf(job: usize, from: u32): usize {
  return job + (FILL_JOB_HEAD << 2) + <usize>(from / load<u32>(job, 12)) * (FILL_PART_WORDS << 2);
}

function rowBegin(job: usize, i: u32): u32 {
  const words = <usize>load<u32>(job);
  const count = load<u32>(job, 4);
  let at = i;
  for (; at > 0 && at < count; at++) {
    const high = words + (<usize>at << 3) + 4;
    if (load<u32>(high) >>> 10 != load<u32>(high - 8) >>> 10) break;
  }
  return at;
}

/** 0 entered, 1 left, 2 sensed; without a branch. */
@inline
function kindOf(low: u32): usize {
  const wasRelated = u32((low & RELATED_BEFORE) != 0);
  return <usize>(wasRelated + (wasRelated & u32((low & RELATED_AFTER) != 0)));
}
