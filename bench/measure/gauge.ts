/**
 * Measurements that are not races of whole ticks: memory held, memory left behind, the time of a single operation.
 *
 * Memory needs a process of its own in which Node allows garbage collection on demand (`--expose-gc`).
 */
import { getHeapSpaceStatistics } from 'node:v8';

export interface GaugeCase {
  readonly kind: 'gauge';
  /** Unique in its suite. */
  readonly name: string;
  /** `tell` gets a line at each progress. */
  measure(tell: (line: string) => void): GaugeOutcome | Promise<GaugeOutcome>;
}

/** A row of the table; figures by name, unit included. All rows of a case have the same names. */
export interface GaugeRow {
  readonly label: string;
  readonly figures: Readonly<Record<string, number>>;
  /** Of all that was reported; 16 hex digits. In all rows of a case, or in none. */
  readonly hash?: string;
}

export interface GaugeOutcome {
  readonly rows: readonly GaugeRow[];
  /** Everything that was wrong; empty if nothing was. */
  readonly problems: readonly string[];
}

/** Bytes in use. */
export interface HeldBytes {
  /** The JavaScript heap, and its part for compiled code, bytecode and the like. */
  readonly heap: number;
  readonly code: number;
  /** Array buffers and WebAssembly memories. */
  readonly buffers: number;
}

const COLLECTIONS = 8;
/** `code_space`, `trusted_space` and the same spaces for large objects. */
const CODE_SPACE = /^(code|trusted)_/;

/**
 * Bytes in use after several collections: what one collection releases, the next may free. One is enough at smoke size, where
 * the figures do not count: it takes as long as a hundred ticks.
 */
export function heldBytes(collections = COLLECTIONS): HeldBytes {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('memory can only be measured with node --expose-gc');
  for (let i = 0; i < collections; i++) collect();
  const { heapUsed: heap, external: buffers } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics().filter((space) => CODE_SPACE.test(space.space_name));
  return { heap, code: spaces.reduce((sum, space) => sum + space.space_used_size, 0), buffers };
}
