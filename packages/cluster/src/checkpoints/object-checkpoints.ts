/**
 * Checkpoints in the broker's object store: one bucket per world, `umwelt_WORLD`, with one slot per kept checkpoint.
 *
 * A state is saved over the oldest one; the store replaces the old one only when the new one is complete. The broker's
 * sequence numbers, not a clock, tell which is newest. The store checks the SHA-256 of what it returns. When the bucket is full,
 * partial uploads that a crash left behind are removed, then the oldest states: a state that has grown must not end all saving, and
 * fewer of them are kept. A bucket that the broker lost is created again.
 */
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { type ObjectInfo, type ObjectStore, Objm } from '@nats-io/obj';
import { UmweltError } from 'umwelt';
import { type BrokerConnection, FORGET_MS, faultOf, opened } from '../log/nats/connection.ts';
import { afterRemoval, refusedStream } from '../log/nats/stream.ts';
import type { CheckedNatsOptions } from '../log/nats-options.ts';
import { type NatsCheckpoints, type NewestOptions, newestWhole } from './checkpoints.ts';

/** Time limit for saving or reading one state. */
const CALL_MS = 60_000;
const LIST_MS = 5000;
/** JetStream's code for a full stream; the bucket is a stream. */
const STORE_FAILED = 10077;

type Options = CheckedNatsOptions & { readonly keep: number };

export class ObjectCheckpoints implements NatsCheckpoints {
  readonly #connection: BrokerConnection;
  readonly #manager: JetStreamManager;
  #store: ObjectStore;
  /** The bucket's own, not what was asked for. */
  #maxBytes: number;
  readonly #bucket: string;
  readonly #options: Options;

  private constructor(
    connection: BrokerConnection,
    manager: JetStreamManager,
    { store, maxBytes }: Bucket,
    options: Options,
  ) {
    this.#connection = connection;
    this.#manager = manager;
    this.#store = store;
    this.#maxBytes = maxBytes;
    this.#bucket = bucketOf(options.world);
    this.#options = options;
  }

  static open(options: Options): Promise<ObjectCheckpoints> {
    return opened(options, 2 * LIST_MS, async (connection) => {
      const manager = await jetstreamManager(connection.nats, { timeout: FORGET_MS, checkAPI: false });
      return new ObjectCheckpoints(connection, manager, await storeOf(connection, options), options);
    });
  }

  async save(state: Uint8Array): Promise<void> {
    const slot = await this.#oldestSlot();
    let mayHaveRemains = true;
    while (!(await this.#hasPut(slot, state))) {
      const isTidied = mayHaveRemains && (await this.#removeRemains());
      mayHaveRemains = false;
      if (!isTidied && !(await this.#removeOldest(state.length))) throw tooMuch(state.length, this.#maxBytes);
    }
  }

  newest(options?: NewestOptions): Promise<Uint8Array | undefined> {
    return newestWhole(
      `the bucket ${this.#bucket}`,
      () => this.#saved(),
      (info) => this.#get(info),
      options,
    );
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** False if the bucket is full. */
  async #hasPut(name: string, state: Uint8Array): Promise<boolean> {
    try {
      await this.#connection.during(CALL_MS, () => this.#store.putBlob({ name }, state));
      return true;
    } catch (error) {
      if (isFull(error)) return false;
      throw faultOf(error);
    }
  }

  /** Rejects while the broker cannot answer. */
  async #get({ name, nuid, chunks }: ObjectInfo): Promise<Uint8Array | 'damaged' | 'gone'> {
    const pieces = (await this.#pieces()).get(nuid);
    if (pieces === undefined) return 'gone';
    // The client waits forever for a missing piece.
    if (pieces !== chunks) return 'damaged';
    try {
      const state = await this.#connection.during(CALL_MS, () => this.#store.getBlob(name));
      return state ?? 'gone';
    } catch (error) {
      if (error instanceof Error && /corrupt/.test(error.message)) return 'damaged';
      throw faultOf(error);
    }
  }

  /** Number of pieces of each state in the bucket, by the state's unique name. */
  async #pieces(): Promise<ReadonlyMap<string, number>> {
    const prefix = `$O.${this.#bucket}.C.`;
    const { state } = await this.#asked(() =>
      this.#manager.streams.info(`OBJ_${this.#bucket}`, { subjects_filter: `${prefix}>` }),
    );
    const counts = Object.entries(state.subjects ?? {});
    return new Map(counts.map(([subject, count]) => [subject.slice(prefix.length), count]));
  }

  /** Newest first. */
  async #saved(): Promise<ObjectInfo[]> {
    const listed = await this.#asked(() => this.#store.list());
    // The list does not contain the time of saving.
    const found = await Promise.all(listed.map(({ name }) => this.#asked(() => this.#store.info(name))));
    return found
      .filter((info): info is ObjectInfo => info !== null && !info.deleted)
      .sort((first, second) => second.revision - first.revision);
  }

  /** An unused slot, or else the slot that was saved longest ago. */
  async #oldestSlot(): Promise<string> {
    const saved = await this.#saved();
    const names = saved.map(({ name }) => name);
    // Of many unused slots one is enough: `keep` may be any number.
    const slots = Array.from(
      { length: Math.min(this.#options.keep, names.length + 1) },
      (_, index) => `slot-${index}`,
    );
    const rankOf = (slot: string) => (names.includes(slot) ? names.indexOf(slot) : names.length);
    return slots.sort((first, second) => rankOf(second) - rankOf(first))[0] as string;
  }

  /** Pieces of no state, as a crash leaves them. False if there are none. */
  async #removeRemains(): Promise<boolean> {
    const known = new Set((await this.#saved()).map(({ nuid }) => nuid));
    const remains = [...(await this.#pieces()).keys()].filter((nuid) => !known.has(nuid));
    for (const nuid of remains) await this.#purge(nuid);
    return remains.length > 0;
  }

  /** The oldest state but the newest, which is kept. False if there is none, or no room beside the newest for so many bytes. */
  async #removeOldest(bytes: number): Promise<boolean> {
    const saved = await this.#saved();
    const pieces = await this.#pieces();
    const oldest = saved.slice(1).findLast(({ nuid }) => pieces.has(nuid));
    if (oldest === undefined || bytes + (saved[0]?.size ?? 0) > this.#maxBytes) return false;
    await this.#purge(oldest.nuid);
    return true;
  }

  async #purge(nuid: string): Promise<void> {
    const filter = `$O.${this.#bucket}.C.${nuid}`;
    await this.#asked(() => this.#manager.streams.purge(`OBJ_${this.#bucket}`, { filter }));
  }

  /** Every call to the store begins with one of these. Retries once if the bucket was gone. */
  async #asked<T>(call: () => Promise<T>): Promise<T> {
    const attempt = () => this.#connection.during(LIST_MS, call);
    try {
      return await attempt();
    } catch (error) {
      if (!isGone(error)) throw faultOf(error);
      await afterRemoval();
      const { store, maxBytes } = await this.#connection.during(2 * LIST_MS, () =>
        storeOf(this.#connection, this.#options),
      );
      this.#store = store;
      this.#maxBytes = maxBytes;
      return await attempt().catch((again: unknown) => {
        throw faultOf(again);
      });
    }
  }
}

interface Bucket {
  readonly store: ObjectStore;
  readonly maxBytes: number;
}

/** Creates the bucket, or uses the existing one. */
async function storeOf(connection: BrokerConnection, options: Options): Promise<Bucket> {
  const bucket = bucketOf(options.world);
  try {
    const store = await new Objm(jetstream(connection.nats, { timeout: FORGET_MS })).create(bucket, {
      description: 'checkpoints of an umwelt world',
      storage: StorageType.File,
      replicas: options.replicas,
      max_bytes: options.maxBytes,
    });
    const { config } = (await store.status()).streamInfo;
    const fault = faultOfBucket(config);
    if (fault !== undefined) throw new UmweltError('SETTINGS_DIFFER', fault);
    return { store, maxBytes: config.max_bytes > 0 ? config.max_bytes : Number.POSITIVE_INFINITY };
  } catch (error) {
    throw error instanceof UmweltError ? error : refusedStream(error, bucket, options);
  }
}

/** Why checkpoints would vanish from the bucket, or could not be saved in it; `undefined` if it is suitable. */
function faultOfBucket(found: StreamConfig): string | undefined {
  const limits = ['max_age', 'max_msgs', 'max_msgs_per_subject', 'max_msg_size'] as const;
  const faults = [
    found.retention === RetentionPolicy.Limits ? '' : `retention ${found.retention}`,
    found.discard === DiscardPolicy.New ? '' : `discard ${found.discard}`,
    found.allow_rollup_hdrs ? '' : 'no allow_rollup_hdrs',
    ...limits.map((limit) => (found[limit] > 0 ? `${limit} ${found[limit]}` : '')),
  ].filter((fault) => fault !== '');
  if (faults.length === 0) return undefined;
  return `the stream ${found.name} is no bucket for checkpoints: it has ${faults.join(', ')}; expected retention limits, discard new, allow_rollup_hdrs, and no limit but max_bytes`;
}

function bucketOf(world: string): string {
  return `umwelt_${world}`;
}

function isGone(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound;
}

function isFull(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === STORE_FAILED;
}

function tooMuch(bytes: number, maxBytes: number): UmweltError {
  return new UmweltError(
    'TOO_MUCH',
    `a state of ${bytes} bytes was given, expected one that has room beside those that are kept in maxBytes, ${maxBytes}`,
  );
}
