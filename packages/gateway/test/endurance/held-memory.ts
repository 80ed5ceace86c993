/** What a process holds once garbage is collected, and whether it grows: a line through what was held over time. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { HeldMemory } from './messages.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Of this process. */
export function heldMemory(): HeldMemory {
  for (let i = 0; i < 2; i++) collect();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { kind: 'memory', rss, held: heapUsed + external };
}

/** By time in seconds, in bytes. */
export interface MemorySample {
  readonly second: number;
  readonly bytes: number;
}

export interface MemoryTrend {
  readonly seconds: number;
  readonly meanBytes: number;
  readonly bytesAMinute: number;
  /** Over all that time the line rises by no more than a twentieth of what is held, and a little. */
  readonly isFlat: boolean;
}

/** Of a process's time, the share in which it fills what it will keep: the system's allocator takes minutes. */
const WARMING = 0.5;
const RISE = 0.05;
const RISE_BYTES = 2e6;
/** Fewer say nothing: at one in five seconds, of a process of eight minutes. */
const FEWEST = 48;

/** The straight line with the least squared distances, past warming up; undefined for too few samples. */
export function memoryTrend(samples: readonly MemorySample[]): MemoryTrend | undefined {
  const kept = samples.slice(Math.ceil(samples.length * WARMING));
  if (kept.length < FEWEST) return undefined;
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanSecond = mean(kept.map(({ second }) => second));
  const meanBytes = mean(kept.map(({ bytes }) => bytes));
  let together = 0;
  let squares = 0;
  for (const { second, bytes } of kept) {
    together += (second - meanSecond) * (bytes - meanBytes);
    squares += (second - meanSecond) ** 2;
  }
  const slope = squares === 0 ? 0 : together / squares;
  const seconds = kept.at(-1)!.second - kept[0]!.second;
  return {
    seconds,
    meanBytes,
    bytesAMinute: slope * 60,
    isFlat: slope * seconds <= RISE * meanBytes + RISE_BYTES,
  };
}
