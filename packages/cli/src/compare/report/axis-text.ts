/** Axis labels: as elsewhere, without trailing zeros after the decimal point. */
import { byteCount, duration, threeDigits } from '../wording.ts';

/** 10 µs, 2.5 ms. */
export function axisTime(ms: number): string {
  return plain(duration(ms));
}

/** 500 B, 20 kB. */
export function axisBytes(bytes: number): string {
  return plain(byteCount(bytes));
}

/** 0.05, 1, 20. */
export function axisNumber(number: number): string {
  return plain(threeDigits(number));
}

/** 100, 1k, 100k, 1M. */
export function axisCount(count: number): string {
  if (count >= 1e6) return `${axisNumber(count / 1e6)}M`;
  return count >= 1000 ? `${axisNumber(count / 1000)}k` : axisNumber(count);
}

function plain(text: string): string {
  return text.replace(/(\.\d*?)0+(?=\D|$)/u, '$1').replace(/\.(?=\D|$)/u, '');
}
