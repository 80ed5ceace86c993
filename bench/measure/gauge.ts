/**
 * What is no race of whole ticks: memory held, memory left behind, what a single operation takes.
 *
 * Memory needs a process of its own in which Node lets garbage be collected on demand (`--expose-gc`).
 */
import { getHeapSpaceStatistics } from 'node:v8';

export interface GaugeCase {
  readonly kind: 'gauge';
  /** Unique in its suite. */
  readonly name: string;
  /** `tell` is given a line whenever there is progress. */
  measure(tell: (line: string) => void): GaugeOutcome | Promise<GaugeOutcome>;
}

/** A line of the table; figures by what they are, unit included. All rows of a case have the same. */
export interface GaugeRow {
  readonly label: string;
  readonly figures: Readonly<Record<string, number>>;
}

export interface GaugeOutcome {
  readonly rows: readonly GaugeRow[];
  /** What was not as it must be; empty when all was. */
  readonly problems: readonly string[];
}

/** Bytes in use. */
export interface HeldBytes {
  /** The JavaScript heap, and what of it is compiled code, bytecode and their like. */
  readonly heap: number;
  readonly code: number;
  /** Array buffers and WebAssembly memories. */
  readonly buffers: number;
}

const COLLECTIONS = 8;
/** `code_space`, `trusted_space` and their like for large objects. */
const CODE_SPACE = /^(code|trusted)_/;

/** After collecting, several times: what one collection lets go of, the next may free. */
export function heldBytes(): HeldBytes {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('memory can only be measured with node --expose-gc');
  for (let i = 0; i < COLLECTIONS; i++) collect();
  const { heapUsed: heap, external: buffers } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics().filter((space) => CODE_SPACE.test(space.space_name));
  return { heap, code: spaces.reduce((sum, space) => sum + space.space_used_size, 0), buffers };
}
