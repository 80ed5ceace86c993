/** What a gateway tells those who observe it: what it did with a tick, and its metrics as data. */

/** What one `publish` did. Counts are over all clients. */
export interface PublishReport {
  /** The world's tick that was published. */
  readonly tick: number;
  /** When it began, in milliseconds as `performance.now()` has them, and how long it took. */
  readonly startMs: number;
  readonly durationMs: number;
  /** Frames sent, and their bytes. */
  readonly frames: number;
  readonly bytes: number;
  /** Entities told of, by how. */
  readonly entered: number;
  readonly updated: number;
  readonly left: number;
  /** Broadcasts in frames, and those beyond what a frame may hold. */
  readonly messages: number;
  readonly lost: number;
  /** Entities that wait for the next frame, since bytes were short. */
  readonly deferred: number;
  /** Clients that could not be sent a frame. */
  readonly behind: number;
}

/** One of the metrics that `metrics()` answers as text. */
export interface MetricReading {
  /** As Prometheus has it. */
  readonly name: string;
  /** What it counts. */
  readonly help: string;
  /** A counter only grows. */
  readonly kind: 'counter' | 'gauge';
  /** Its value for each combination of its labels. */
  readonly values: readonly {
    readonly labels: Readonly<Record<string, string | number>>;
    readonly value: number;
  }[];
}
