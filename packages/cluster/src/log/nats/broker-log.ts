/**
 * The log on a broker: combines the connection, the stream, its followers, and questions and answers.
 *
 * Every call is limited to 2 s and rejects with `LOG_DOWN` when the broker cannot be reached, the stream has no leader, or
 * the broker refuses the record. What changes nothing is requested again every 300 ms meanwhile. If the broker lost its
 * store and the stream is gone, the stream is created again: nodes then see a log without records.
 */
import {
  type ApiError,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type PubAck,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { errors, millis } from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import type { QuestionCounts } from '../log.ts';
import type { CheckedNatsOptions, NatsLog } from '../nats-options.ts';
import {
  type BrokerConnection,
  FORGET_MS,
  faultOf,
  logDown,
  opened,
  plainBytes,
  RECORD_BYTES_MAX,
  REFUSED_MS,
} from './connection.ts';
import { Follower } from './follower.ts';
import { answerAll, askOne } from './questions.ts';
import {
  afterRemoval,
  ensureStream,
  faultOfStream,
  type StreamLimits,
  streamOf,
  subjectOf,
} from './stream.ts';
import { Turns } from './turns.ts';

/** Time limit for one request to the broker. */
const CALL_MS = 2000;
const GROUP = 'umwelt';

export class BrokerLog implements NatsLog {
  readonly stream: string;
  readonly #connection: BrokerConnection;
  readonly #client: JetStreamClient;
  readonly #manager: JetStreamManager;
  readonly #limits: StreamLimits;
  readonly #subject: string;
  readonly #questions: string;
  readonly #turns = new Turns();
  readonly #followers = new Set<Follower>();
  /** The stream's own, not those that were asked for. */
  #settings: StreamConfig;
  /** Why the broker last refused a follower's request for records, and until when no other one is begun. */
  #refusal: { readonly reason: Error; readonly untilMs: number } | undefined;

  private constructor(
    connection: BrokerConnection,
    manager: JetStreamManager,
    limits: StreamLimits,
    settings: StreamConfig,
  ) {
    this.#connection = connection;
    this.#settings = settings;
    this.#manager = manager;
    this.#client = jetstream(connection.nats, { timeout: FORGET_MS });
    this.#limits = limits;
    this.#subject = subjectOf(limits.world);
    this.#questions = `umwelt.${limits.world}.snap`;
    this.stream = streamOf(limits.world);
    // Such a request has no answer: to the follower, the log would only be silent.
    const requests = `$JS.API.CONSUMER.MSG.NEXT.${this.stream}.`;
    connection.onRefused((operation, subject, reason) => {
      if (operation !== 'publish' || !subject.startsWith(requests)) return;
      this.#refusal = { reason, untilMs: performance.now() + REFUSED_MS };
      for (const follower of [...this.#followers]) follower.end();
    });
  }

  static open(options: CheckedNatsOptions & StreamLimits): Promise<BrokerLog> {
    return opened(options, 2 * CALL_MS, async (connection) => {
      const manager = await jetstreamManager(connection.nats, { timeout: FORGET_MS, checkAPI: false });
      return new BrokerLog(connection, manager, options, await ensureStream(manager, options));
    });
  }

  get name(): string {
    return this.stream;
  }

  get keepsMs(): number | undefined {
    const { max_age: age } = this.#settings;
    return age > 0 ? millis(age) : undefined;
  }

  get fault(): UmweltError | undefined {
    return faultOfStream(this.#settings, this.#limits.world);
  }

  get questions(): QuestionCounts {
    return { ...this.#turns.counts };
  }

  get isUp(): boolean {
    return this.#connection.isUp;
  }

  async append(bytes: Uint8Array): Promise<number> {
    if (bytes.length > RECORD_BYTES_MAX) {
      throw new UmweltError(
        'TOO_MUCH',
        `a record of ${bytes.length} bytes was given, expected at most ${RECORD_BYTES_MAX}`,
      );
    }
    // The client sends at the end of this turn of the event loop; the caller may have reused its buffer by then.
    const own = new Uint8Array(bytes);
    const { stream, seq } = await this.#asked(() => this.#published(own));
    if (stream !== this.stream) throw logDown(`${this.#subject} belongs to the stream ${stream}`);
    return seq;
  }

  /**
   * As JetStream's client does, which keeps the record for as long as it waits for an answer: it would hold those that a full disk
   * does not take for minutes. It has no id by which the broker drops a second copy: the nodes do that themselves, and a broker that
   * lost its newest records might still know their ids, and drop those that are sent again.
   */
  async #published(bytes: Uint8Array): Promise<PubAck> {
    const { data } = await this.#connection.nats.request(this.#subject, bytes, { timeout: FORGET_MS });
    const answer: PubAck & { readonly error?: ApiError } = JSON.parse(new TextDecoder().decode(data));
    if (answer.error !== undefined) throw new JetStreamApiError(answer.error);
    return answer;
  }

  async follow(
    from: number,
    take: (position: number, bytes: Uint8Array) => void,
    lost: () => void,
  ): Promise<() => void> {
    if (this.#refusal !== undefined && performance.now() < this.#refusal.untilMs)
      throw faultOf(this.#refusal.reason);
    const source = {
      connection: this.#connection,
      client: this.#client,
      manager: this.#manager,
      stream: this.stream,
    };
    let follower: Follower | undefined;
    try {
      await this.#asked(() => {
        // That of an attempt that failed since the stream was gone.
        follower?.stop();
        const begun = new Follower(source, from, take, lost);
        follower = begun;
        this.#followers.add(begun);
        void begun.over.then(() => this.#followers.delete(begun));
        return begun.begin();
      });
    } catch (error) {
      // It may yet begin: the caller is going to follow anew.
      follower?.stop();
      throw error;
    }
    return () => follower?.stop();
  }

  async read(position: number): Promise<Uint8Array | undefined> {
    if (position < 1) return undefined;
    const found = await this.#found(() => this.#manager.streams.getMessage(this.stream, { seq: position }));
    return found === null ? undefined : plainBytes(found.data);
  }

  async last(): Promise<number> {
    const { state } = await this.#found(() => this.#look());
    return state.last_seq;
  }

  async #look(): Promise<StreamInfo> {
    const info = await this.#manager.streams.info(this.stream);
    // Somebody may have edited it.
    this.#settings = info.config;
    return info;
  }

  ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>> {
    return askOne(this.#connection, this.#questions, bytes);
  }

  answer(
    how: (bytes: Uint8Array) => AsyncIterable<Uint8Array>,
    refused: (reason: Error | undefined) => void = () => {},
  ): () => void {
    return answerAll(
      this.#connection,
      { subject: this.#questions, group: GROUP, turns: this.#turns },
      how,
      refused,
    );
  }

  async close(): Promise<void> {
    for (const follower of this.#followers) follower.stop();
    this.#followers.clear();
    await this.#connection.close();
  }

  /** As `#asked`, for a call that changes nothing. */
  #found<T>(call: () => Promise<T>): Promise<T> {
    return this.#asked(() => this.#connection.repeatedly(CALL_MS, call));
  }

  /** Runs `call` with every broker error mapped to `LOG_DOWN`; retries once if the stream was gone. */
  async #asked<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await this.#connection.during(CALL_MS, call);
    } catch (error) {
      if (!(await this.#isGone(error))) throw faultOf(error);
      await afterRemoval();
      this.#settings = await this.#connection.during(2 * CALL_MS, () =>
        ensureStream(this.#manager, this.#limits),
      );
      return await this.#connection.during(CALL_MS, call).catch((again: unknown) => {
        throw faultOf(again);
      });
    }
  }

  /** Whether it failed because the stream is gone. A record that nobody takes only says that nobody does, with any stream. */
  async #isGone(error: unknown): Promise<boolean> {
    if (!hasNoTaker(error)) return isNotFound(error);
    try {
      await this.#connection.during(CALL_MS, () => this.#look());
    } catch (other) {
      return isNotFound(other);
    }
    throw logDown(
      this.fault?.message ?? `nobody takes records for the stream ${this.stream}: it has no leader`,
    );
  }
}

/** JetStream's client says of its own requests that JetStream is not enabled, whatever the reason. */
function hasNoTaker(error: unknown): boolean {
  const cause =
    error instanceof errors.RequestError ? error : error instanceof Error ? error.cause : undefined;
  return cause instanceof errors.RequestError && cause.isNoResponders();
}

function isNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}
