/** What the bench and its process of clients say to each other. */

export type CrowdOrder =
  | {
      readonly kind: 'join';
      readonly url: string;
      /** A client for each. */
      readonly watchers: readonly number[];
      /** Mirrors are summed up at ticks that are multiples of it. */
      readonly sampleTicks: number;
      /** Frames of every so many-th client are timed. */
      readonly timedClients: number;
    }
  /** Someone joins by this credential who reads and looks at nothing of it; answered with 'reading'. */
  | { readonly kind: 'read'; readonly credential: string }
  /** They stop reading, or begin again. */
  | { readonly kind: 'stall'; readonly isStalled: boolean }
  | { readonly kind: 'report' };

export type CrowdAnswer =
  /** All have a frame. */
  { readonly kind: 'joined' } | { readonly kind: 'reading' } | CrowdReport;

export interface CrowdReport {
  readonly kind: 'report';
  /** Frames taken in, and ticks between two frames of a client for which there was none. */
  readonly frames: number;
  readonly missing: number;
  /** Connections that ended. */
  readonly dropped: number;
  /** Of each sampled mirror: which tick, whose by number, what it came to. */
  readonly sums: { readonly tick: Uint32Array; readonly client: Uint32Array; readonly sum: Uint32Array };
  /** Of each timed frame: which tick, and when it had been taken in, in milliseconds of the machine's clock. */
  readonly arrivals: { readonly tick: Uint32Array; readonly ms: Float64Array };
  readonly rssBytes: number;
}
