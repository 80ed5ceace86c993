/**
 * A hash of what a tick reported, independent of order, so that any two detectors, kernels and runs can be compared
 * by one number.
 *
 * Each reported pair is mixed to 64 bits, and the results are added modulo 2^64. `fmix` is the 32-bit finaliser of
 * MurmurHash3 (Appleby, public domain); all arithmetic is 32-bit unsigned:
 *
 *   a    = fmix(watcher * 0x9e3779b1 + kind * 256 + senses)      kind: 1 entered, 2 left, 3 updated, 4 sensed
 *   low  = fmix(a ^ marker * 0x85ebca77)                         senses: 0 unless entered or sensed
 *   high = fmix(low + marker * 0xc2b2ae3d + a)
 *
 * Cost: about 5 ns a pair.
 */
import { fmix, hexOf } from '../kernels/hash-mix.ts';
import type { ReportLists } from './report.ts';
import type { ReadableRows } from './report-rows.ts';

/** 16 lower-case hex digits; all zeros for an empty report. */
export function hashOf(report: ReportLists): string {
  const sum: Sum = { low: 0, high: 0 };
  addRows(sum, 1, report.entered);
  addRows(sum, 2, report.left);
  addRows(sum, 3, report.updated);
  addRows(sum, 4, report.sensed);
  return hexOf(sum.high, sum.low);
}

interface Sum {
  low: number;
  high: number;
}

function addRows(sum: Sum, kind: number, rows: ReadableRows): void {
  const { watchers, offsets, markers, senses } = rows;
  let low = sum.low;
  let high = sum.high;
  for (let row = 0; row < rows.rowCount; row++) {
    const watcherPart = Math.imul(watchers[row], 0x9e3779b1) + kind * 256;
    for (let i = offsets[row]; i < offsets[row + 1]; i++) {
      const marker = markers[i];
      const a = fmix(watcherPart + (senses === undefined ? 0 : senses[i]));
      const mixLow = fmix(a ^ Math.imul(marker, 0x85ebca77));
      const mixHigh = fmix(mixLow + Math.imul(marker, 0xc2b2ae3d) + a);
      low += mixLow >>> 0;
      high += (mixHigh >>> 0) + (low > 0xffff_ffff ? 1 : 0);
      low >>>= 0;
      high >>>= 0;
    }
  }
  sum.low = low;
  sum.high = high;
}
