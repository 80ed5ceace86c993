// Twin of ../fill-report.ts, which draws the job.
import { setWord, wordAt } from './job';

const FIRST_KIND: usize = 16;
const KIND_BYTES: usize = 32;
const RELATED_BEFORE: u32 = 0x100ff;
const RELATED_AFTER: u32 = 0x2ff00;

export function fillReport(job: usize): void {
  const words = <usize>load<u32>(job);
  const count = load<u32>(job, 4);
  const idOf = <usize>load<u32>(job, 8);
  for (let kind: usize = 0; kind < 3; kind++) {
    const k = job + FIRST_KIND + kind * KIND_BYTES;
    store<u32>(k, 0, 16);
    store<u32>(k, 0, 20);
    store<u32>(<usize>load<u32>(k, 4), 0);
  }
  for (let i: u32 = 0; i < count; i++) {
    const low = load<u32>(words + (<usize>i << 3));
    const high = load<u32>(words + (<usize>i << 3), 4);
    const kind: usize = (low & RELATED_BEFORE) == 0 ? 0 : (low & RELATED_AFTER) == 0 ? 1 : 2;
    const k = job + FIRST_KIND + kind * KIND_BYTES;
    const watcher = wordAt(idOf, high >>> 10);
    const watchers = <usize>load<u32>(k);
    let rows = load<u32>(k, 16);
    if (rows == 0 || wordAt(watchers, rows - 1) != watcher) {
      setWord(watchers, rows, watcher);
      store<u32>(k, ++rows, 16);
    }
    const at = load<u32>(k, 20);
    setWord(<usize>load<u32>(k, 8), at, wordAt(idOf, ((high & 1023) << 12) | (low >>> 20)));
    const senses = <usize>load<u32>(k, 12);
    if (senses != 0) store<u8>(senses + <usize>at, low >>> 8);
    setWord(<usize>load<u32>(k, 4), rows, at + 1);
    store<u32>(k, at + 1, 20);
  }
}
