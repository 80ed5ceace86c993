/**
 * Gives one reader the records of a stream, in order, and says when it can no longer vouch for them.
 *
 * It is an ordered consumer of JetStream with a watchdog of our own. The client's own heartbeats are not enough: when the
 * broker that ordered the records dies, some consumers are left that never say a word again. So after 1.5 s without a
 * record the stream is asked for its end. Where that is the record taken last, the world is silent and all is well; where
 * it is not, or nobody answers within 2 s, the reader is told that following is lost. A gap between two positions ends it
 * the same way. The reader then looks where it is, and follows again from there, with another consumer.
 *
 * Cost: one question a 1.5 s while the log is silent, none while it is not. Outstanding: at most 1,000 records.
 */
import {
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { type BrokerConnection, plainBytes } from './connection.ts';

/** Without a record for so long it looks whether there are any. */
const SILENCE_MS = 1500;
const LOOK_MS = 250;
/** A turn of the timer that comes so late says that this process stood still, and nothing of the broker. */
const STALLED_MS = 1000;
const MESSAGES_MAX = 1000;
const HEARTBEAT_MS = 1000;
/** After which a broker forgets a consumer that asks for nothing. */
const INACTIVE_MS = 30_000;

export interface FollowedStream {
  readonly connection: BrokerConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly stream: string;
}

export class Follower {
  /** Resolves when it was stopped or is lost. */
  readonly over: Promise<void>;
  #resolveOver: () => void = () => {};
  readonly #source: FollowedStream;
  readonly #take: (position: number, bytes: Uint8Array) => void;
  readonly #lost: () => void;
  readonly #forgetConnection: () => void;
  #consumer: Consumer | undefined;
  #messages: ConsumerMessages | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Of the record taken last; that before the first where there was none yet. */
  #position: number;
  #hasTaken = false;
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
    this.#take = take;
    this.#lost = lost;
    this.over = new Promise((resolve) => {
      this.#resolveOver = resolve;
    });
    this.#forgetConnection = source.connection.onDown(() => this.#end());
  }

  /** Rejects when it cannot begin. */
  async begin(): Promise<void> {
    const { client, stream, connection } = this.#source;
    const consumer = await connection.during(() =>
      client.consumers.get(stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: this.#position + 1,
        inactive_threshold: INACTIVE_MS,
      }),
    );
    this.#consumer = consumer;
    // It may have been stopped while the broker was asked.
    if (this.#isOver) {
      this.#release();
      return;
    }
    const messages = await connection.during(() =>
      consumer.consume({
        max_messages: MESSAGES_MAX,
        idle_heartbeat: HEARTBEAT_MS,
        callback: (message) => this.#receive(message),
      }),
    );
    this.#messages = messages;
    if (this.#isOver) {
      this.#release();
      return;
    }
    // The client ends it when the broker says that it never will work.
    void messages.closed().then(() => this.#end());
    this.#heardMs = this.#lookedMs = performance.now();
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Neither of the two is called any more. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#forgetConnection();
    this.#release();
    this.#resolveOver();
  }

  #release(): void {
    this.#messages?.stop();
    // The broker forgets it in time, should this not reach it.
    if (this.#source.connection.isUp) this.#consumer?.delete().catch(() => {});
  }

  #end(): void {
    if (this.#isOver) return;
    this.stop();
    calledLoudly(this.#lost);
  }

  #receive(message: JsMsg): void {
    if (this.#isOver) return;
    const position = message.seq;
    // The first may come later than asked for: what was before it is no longer kept.
    if (position <= this.#position) return;
    if (this.#hasTaken && position !== this.#position + 1) {
      this.#end();
      return;
    }
    this.#hasTaken = true;
    this.#position = position;
    this.#heardMs = performance.now();
    if (!calledLoudly(() => this.#take(position, plainBytes(message.data)))) this.stop();
  }

  #look(): void {
    const nowMs = performance.now();
    const hasStalled = nowMs - this.#lookedMs > STALLED_MS;
    this.#lookedMs = nowMs;
    // What came meanwhile is still to be read.
    if (hasStalled) this.#heardMs = nowMs;
    if (nowMs - this.#heardMs < SILENCE_MS || this.#isLooking) return;
    this.#isLooking = true;
    void this.#isSilent().then((isSilent) => {
      this.#isLooking = false;
      if (this.#isOver || performance.now() - this.#heardMs < SILENCE_MS) return;
      if (isSilent) this.#heardMs = performance.now();
      else this.#end();
    });
  }

  /** Whether the log ends with the record taken last. */
  async #isSilent(): Promise<boolean> {
    const { connection, manager, stream } = this.#source;
    try {
      const { state } = await connection.during(() => manager.streams.info(stream));
      if (state.last_seq === this.#position) return true;
      // It begins where the oldest were discarded, and nothing has come since.
      return !this.#hasTaken && state.messages === 0 && state.last_seq > this.#position;
    } catch {
      return false;
    }
  }
}

/**
 * Whether `callback` went well. What it throws ends the process, as if nobody had called it from within the NATS client:
 * that swallows what a callback throws, or stops reading its connection for good.
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
