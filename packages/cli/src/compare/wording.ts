/** Figures in readable form: three significant digits, and a suitable unit. */
import { fullCount } from '../numbers.ts';

/** 840 µs, 12.3 ms, 4.56 s. */
export function duration(ms: number): string {
  if (ms < 1) return `${threeDigits(ms * 1000)} µs`;
  return ms < 1000 ? `${threeDigits(ms)} ms` : `${threeDigits(ms / 1000)} s`;
}

/** 640 B, 12.3 kB, 4.56 MB: powers of 1,000. */
export function byteCount(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const power = bytes < 999_500 ? 1 : bytes < 999_500_000 ? 2 : bytes < 999_500_000_000 ? 3 : 4;
  return `${threeDigits(bytes / 1000 ** power)} ${['', 'kB', 'MB', 'GB', 'TB'][power]}`;
}

/** Without an exponent: 0.0123, 1.23, 12.3, 123, 1,234. */
export function threeDigits(number: number): string {
  if (number === 0) return '0';
  const magnitude = Math.abs(number);
  if (magnitude >= 99.95) return fullCount(number);
  const decimals = magnitude >= 9.995 ? 1 : magnitude >= 0.9995 ? 2 : Math.ceil(-Math.log10(magnitude)) + 2;
  return number.toFixed(Math.min(decimals, 12));
}

/** A ratio: 1.08, 12.3, 245. */
export function times(ratio: number): string {
  return ratio >= 99.5 ? fullCount(ratio) : ratio.toFixed(ratio < 9.95 ? 2 : 1);
}

/** 64 %, 0.3 %. */
export function percent(share: number): string {
  const hundredths = share * 100;
  return `${hundredths.toFixed(hundredths < 9.95 && hundredths > 0 ? 1 : 0)} %`;
}

/** a, b and c. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** With a capital first letter. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
