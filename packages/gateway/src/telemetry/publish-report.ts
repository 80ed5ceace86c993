/** What a gateway reports to observers: the work of one `publish`, and its metrics as data. */

/** The work of one `publish`. Counts are sums over all clients. */
export interface PublishReport {
  /** The published tick of the world. */
  readonly tick: number;
  /** Start time, in milliseconds of `performance.now()`. */
  readonly startMs: number;
  /** Duration in milliseconds. */
  readonly durationMs: number;
  /** Frames sent. */
  readonly frames: number;
  /** Total size of these frames, in bytes. */
  readonly bytes: number;
  /** Entities that entered in these frames. */
  readonly entered: number;
  /** Entities that were updated in these frames. */
  readonly updated: number;
  /** Entities that left in these frames. */
  readonly left: number;
  /** Broadcast messages in these frames. */
  readonly messages: number;
  /** Broadcast messages dropped because of a limit. */
  readonly lost: number;
  /** Entities deferred to a later frame by the byte budget or by `entersPerFrame`. */
  readonly deferred: number;
  /** Clients that were sent no frame because they are behind. */
  readonly behind: number;
}

/** A metric, as data. `metrics()` has the same ones as text. */
export interface MetricReading {
  /** Its name in Prometheus. */
  readonly name: string;
  /** Its description. */
  readonly help: string;
  /** A counter only grows. */
  readonly kind: 'counter' | 'gauge';
  /** A number for each combination of labels. */
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}
