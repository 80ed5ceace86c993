/** The sum of mixed words behind a digest: the same for any order of what is added. Arithmetic is modulo 2^32. */
import { mixed } from './mixed.ts';

export class DigestSum {
  low = 0;
  high = 0;

  /** Adds three words, mixed together. */
  add(first: number, second: number, third: number): void {
    const a = mixed(Math.imul(first, 0x9e3779b1) + third);
    const b = mixed(a ^ Math.imul(second, 0x85ebca77));
    this.low = (this.low + b) | 0;
    this.high = (this.high + mixed(b + a)) | 0;
  }

  /** Adds what another sum has, or words of its halves. */
  addWords(low: number, high: number): void {
    this.low = (this.low + low) | 0;
    this.high = (this.high + high) | 0;
  }
}

/** A word for a text or for bytes. */
export function wordOf(values: string | Uint8Array): number {
  let word = values.length;
  for (let i = 0; i < values.length; i++) {
    word = mixed(word + (typeof values === 'string' ? values.charCodeAt(i) : values[i]) + 1);
  }
  return word;
}
