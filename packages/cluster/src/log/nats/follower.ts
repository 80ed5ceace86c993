/**
 * Delivers the records of a stream to one reader, in order, and reports when it can no longer guarantee that.
 *
 * It is an ordered JetStream consumer with its own watchdog. The client's heartbeats are not enough: when the broker that
 * ordered the records dies, some consumers stay silent forever. So after 1.5 s without a record it asks the stream for its end.
 * If that is the last record delivered, the world is just silent. If not, or if no answer comes within 2 s, it reports to the
 * reader that following is lost. A gap between two positions is reported the same way, and so is another record at the position of
 * the last one after a pause. The reader then checks its position and follows again from there with a new consumer.
 *
 * Cost: one request per 1.5 s while the log is silent, none while it is not. At most 1,000 records are outstanding, and a bounded
 * number waits for a slow reader: see waiting-records.ts.
 */
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { type BrokerConnection, logDown, plainBytes } from './connection.ts';
import { WaitingRecords } from './waiting-records.ts';

/** After this time without a record, it asks whether there are any. */
const SILENCE_MS = 1500;
const LOOK_MS = 250;
/** If a timer fires this late, this process was stalled, and the silence says nothing about the broker. */
const STALLED_MS = 1000;
const MESSAGES_MAX = 1000;
/** Time limit for each request to the broker. */
const CALL_MS = 2000;
const HEARTBEAT_MS = 1000;
/** After this time the broker forgets a consumer that requests nothing. */
const INACTIVE_MS = 30_000;

export interface FollowedStream {
  readonly connection: BrokerConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly stream: string;
}

export class Follower {
  /** Resolves when it was stopped or following is lost. */
  readonly over: Promise<void>;
  #resolveOver: () => void = () => {};
  readonly #source: FollowedStream;
  readonly #waiting: WaitingRecords;
  readonly #lost: () => void;
  readonly #forgetConnection: () => void;
  #consumer: Consumer | undefined;
  #messages: ConsumerMessages | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Position of the last record received; before the first, one less than the start. */
  #position: number;
  /** As many records wait as may: no more are requested until they were taken. */
  #isPaused = false;
  /**
   * After a pause, until the log delivers it once more: the last record received. Without a consumer nothing tells that the log was
   * deleted and begun again.
   */
  #known: Uint8Array | undefined;
  #hasTaken = false;
  #hasBegun = false;
  #isOver = false;
  #heardMs = 0;
  #lookedMs = 0;
  #isLooking = false;

  constructor(
    source: FollowedStream,
    from: number,
    take: (position: number, bytes: Uint8Array) => void,
    lost: () => void,
  ) {
    this.#source = source;
    this.#position = from - 1;
    this.#waiting = new WaitingRecords(
      (at, bytes) => {
        if (!calledLoudly(() => take(at, bytes))) this.stop();
      },
      () => this.#drained(),
    );
    this.#lost = lost;
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
    this.#forgetConnection = source.connection.onDown(() => this.end());
  }

  /** Rejects if it cannot start, also if it was lost before: then that is not reported. */
  async begin(): Promise<void> {
    await this.#consume();
    if (this.#isOver) throw logDown('following was lost before it began');
    this.#hasBegun = true;
    this.#heardMs = this.#lookedMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  async #consume(): Promise<void> {
    const { client, stream, connection } = this.#source;
    const made = () =>
      client.consumers.get(stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: this.#known === undefined ? this.#position + 1 : this.#position,
        inactive_threshold: INACTIVE_MS,
      });
    const consumer = await connection.repeatedly(CALL_MS, made, forgotten);
    this.#consumer = consumer;
    // It may have been stopped while the broker was asked.
    if (this.#isOver) {
      this.#release();
      return;
    }
    const messages = await connection.during(CALL_MS, () =>
      consumer.consume({
        max_messages: MESSAGES_MAX,
        idle_heartbeat: HEARTBEAT_MS,
        callback: (message) => this.#receive(message),
      }),
    );
    this.#messages = messages;
    this.#isPaused = false;
    if (this.#isOver) {
      this.#release();
      return;
    }
    // The client ends the iteration when the broker says that the consumer can never work.
    void messages.closed().then(() => {
      if (this.#messages === messages) this.end();
    });
  }

  /** After this, neither callback is called. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting.drop();
    clearInterval(this.#timer);
    this.#forgetConnection();
    this.#release();
    this.#resolveOver();
  }

  #release(): void {
    const messages = this.#messages;
    this.#messages = undefined;
    messages?.stop();
    if (this.#source.connection.isUp && this.#consumer !== undefined) forgotten(this.#consumer);
  }

  /** Reports that following is lost. */
  end(): void {
    if (this.#isOver) return;
    this.stop();
    if (this.#hasBegun) calledLoudly(this.#lost);
  }

  #receive(message: JsMsg): void {
    if (this.#isOver || this.#isPaused) return;
    const position = message.seq;
    if (this.#known !== undefined) {
      const isSame = position === this.#position && Buffer.compare(message.data, this.#known) === 0;
      this.#known = undefined;
      if (!isSame) this.end();
      return;
    }
    // The first record may be later than requested, if older ones are no longer kept.
    if (position <= this.#position) return;
    if (this.#hasTaken && position !== this.#position + 1) {
      this.end();
      return;
    }
    this.#hasTaken = true;
    this.#position = position;
    this.#heardMs = performance.now();
    const bytes = plainBytes(message.data);
    this.#waiting.add(position, bytes);
    if (!this.#waiting.isFull || this.#isOver) return;
    this.#isPaused = true;
    this.#known = bytes;
    this.#release();
  }

  /** The reader has taken all that waited: if too much did, the rest is requested now. */
  #drained(): void {
    if (this.#isOver || !this.#isPaused) return;
    this.#heardMs = performance.now();
    this.#consume().catch(() => this.end());
  }

  #look(): void {
    const nowMs = performance.now();
    const hasStalled = nowMs - this.#lookedMs > STALLED_MS;
    this.#lookedMs = nowMs;
    // Records that arrived meanwhile are still unread.
    if (hasStalled || !this.#waiting.isEmpty) this.#heardMs = nowMs;
    if (nowMs - this.#heardMs < SILENCE_MS || this.#isLooking) return;
    this.#isLooking = true;
    void this.#isSilent().then((isSilent) => {
      this.#isLooking = false;
      if (this.#isOver || performance.now() - this.#heardMs < SILENCE_MS) return;
      if (isSilent) this.#heardMs = performance.now();
      else this.end();
    });
  }

  /** Whether the log ends with the last record delivered. */
  async #isSilent(): Promise<boolean> {
    const { connection, manager, stream } = this.#source;
    try {
      const { state } = await connection.repeatedly(CALL_MS, () => manager.streams.info(stream));
      if (state.last_seq === this.#position) return true;
      // The stream starts after discarded records, and nothing has come since.
      return !this.#hasTaken && state.messages === 0 && state.last_seq > this.#position;
    } catch {
      return false;
    }
  }
}

/** If this request is lost, the broker forgets the consumer by itself later. */
function forgotten(consumer: Consumer): void {
  consumer.delete().catch(() => {});
}

/**
 * Calls `callback`; false if it threw. The error ends the process as an uncaught one would: the NATS client itself would
 * swallow what a callback throws, or stop reading its connection for good.
 */
export function calledLoudly(callback: () => void): boolean {
  try {
    callback();
    return true;
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
    return false;
  }
}
