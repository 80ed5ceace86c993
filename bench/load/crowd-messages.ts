/** The messages between the bench and its process of clients. */

export type CrowdOrder =
  | {
      readonly kind: 'join';
      readonly url: string;
      /** Each of these watchers gets a client. */
      readonly watchers: readonly number[];
      /** Each mirror's sum is taken at ticks that are multiples of this. */
      readonly sampleTicks: number;
      /** Frames of one in this many clients are timed. */
      readonly timedClients: number;
    }
  /** A client joins with this credential that reads its bytes and discards them; answered with 'reading'. */
  | { readonly kind: 'read'; readonly credential: string }
  /** That client stops reading, or reads again. */
  | { readonly kind: 'stall'; readonly isStalled: boolean }
  | { readonly kind: 'report' };

export type CrowdAnswer =
  /** Every client has received a frame. */
  { readonly kind: 'joined' } | { readonly kind: 'reading' } | CrowdReport;

export interface CrowdReport {
  readonly kind: 'report';
  /** Frames received, and ticks between two frames of a client for which there was no frame. */
  readonly frames: number;
  readonly missing: number;
  /** Connections that ended. */
  readonly dropped: number;
  /** For each sampled mirror: the tick, the number of the client, the sum. */
  readonly sums: { readonly tick: Uint32Array; readonly client: Uint32Array; readonly sum: Uint32Array };
  /** For each timed frame: the tick, and when the frame had been applied, in milliseconds of the machine's clock. */
  readonly arrivals: { readonly tick: Uint32Array; readonly ms: Float64Array };
  readonly rssBytes: number;
}
