/**
 * The JetStream stream that holds a world's log.
 *
 * It has one subject, is stored in files, and discards the oldest records. `max_bytes` is always given: the broker reserves it
 * when the stream is created, and refuses a stream without room ("insufficient storage resources available") instead of
 * filling its disk later.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { millis, nanos } from '@nats-io/transport-node';
import { UmweltError } from 'umwelt';
import { LEAST_AGE_MS, LEAST_BYTES } from '../nats-options.ts';
import { logDown, RECORD_BYTES_MAX, reasonOf } from './connection.ts';

/** Bytes that the client adds to a record: the first line of its headers. */
const HEADER_BYTES = 64;

export interface StreamLimits {
  readonly world: string;
  readonly replicas: number;
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** False: a missing stream is an error. */
  readonly create: boolean;
}

export function streamOf(world: string): string {
  return `UMWELT_${world}`;
}

export function subjectOf(world: string): string {
  return `umwelt.${world}.log`;
}

/** JetStream error codes for reasons why a stream could not be created. */
const NAME_IN_USE = 10058;
const STORAGE_RESOURCES_EXCEEDED = 10047;
const NO_SUITABLE_PEERS = 10005;
const MEMORY_RESOURCES_EXCEEDED = 10028;
const REPLICAS_NOT_SUPPORTED = 10074;

/**
 * A broker goes on removing the files of a deleted stream after it has said that the stream is gone. If a stream of that name is made
 * before the end of that, its files are removed, too: it accepts records, but returns none.
 */
const REMOVAL_MS = 500;

/** Resolves when a deleted stream may be made again. */
export function afterRemoval(): Promise<void> {
  return delay(REMOVAL_MS);
}

/** The settings of the stream, which is created if there is none. Throws as natsLog does. */
export async function ensureStream(manager: JetStreamManager, limits: StreamLimits): Promise<StreamConfig> {
  const { world } = limits;
  if (!limits.create) return findStream(manager, world);
  try {
    return (await manager.streams.add(configurationOf(limits))).config;
  } catch (error) {
    const code = error instanceof JetStreamApiError ? error.code : 0;
    if (code === NAME_IN_USE) return suitable((await manager.streams.info(streamOf(world))).config, world);
    throw refusedStream(error, streamOf(world), limits);
  }
}

async function findStream(manager: JetStreamManager, world: string): Promise<StreamConfig> {
  try {
    return suitable((await manager.streams.info(streamOf(world))).config, world);
  } catch (error) {
    if (error instanceof UmweltError) throw error;
    if (!(error instanceof JetStreamApiError) || error.code !== JetStreamApiCodes.StreamNotFound) {
      throw logDown(reasonOf(error));
    }
    throw new UmweltError(
      'BAD_OPTION',
      `world: '${world}' was given, expected one that the broker knows: it has no stream ${streamOf(world)}`,
      { field: 'world', value: world },
    );
  }
}

/** The error for a caller whose stream the broker refused to create. */
export function refusedStream(
  error: unknown,
  stream: string,
  { maxBytes, replicas }: Pick<StreamLimits, 'maxBytes' | 'replicas'>,
): UmweltError {
  const code = error instanceof JetStreamApiError ? error.code : 0;
  if (code === STORAGE_RESOURCES_EXCEEDED || code === MEMORY_RESOURCES_EXCEEDED) {
    return new UmweltError(
      'BAD_OPTION',
      `maxBytes: ${maxBytes} was given, expected what the broker has room for (max_file in its configuration): ${reasonOf(error)}`,
      { field: 'maxBytes', value: maxBytes },
    );
  }
  if (code === REPLICAS_NOT_SUPPORTED) {
    return new UmweltError(
      'BAD_OPTION',
      `replicas: ${replicas} was given, expected 1 for a broker that is alone: ${reasonOf(error)}`,
      { field: 'replicas', value: replicas },
    );
  }
  const hint = code === NO_SUITABLE_PEERS ? ` (${replicas} brokers with room for ${maxBytes} bytes)` : '';
  return logDown(`no stream ${stream}: ${reasonOf(error)}${hint}`);
}

function configurationOf({ world, replicas, maxBytes, maxAgeMs }: StreamLimits): StreamSettings {
  return {
    name: streamOf(world),
    subjects: [subjectOf(world)],
    description: 'log of an umwelt world',
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    num_replicas: replicas,
    max_bytes: maxBytes,
    max_age: nanos(maxAgeMs),
    max_msg_size: RECORD_BYTES_MAX + HEADER_BYTES,
    // Deleting a record from the middle would leave a gap for nodes that read it later.
    deny_delete: true,
  };
}

type StreamSettings = Partial<StreamConfig> & { name: string };

/** The settings of an existing stream, if it is suitable for a log. */
function suitable(found: StreamConfig, world: string): StreamConfig {
  const fault = faultOfStream(found, world);
  if (fault !== undefined) throw fault;
  return found;
}

/**
 * As many records as a follower requests at once. A node that lost its connection must find its newest records, and the next one must
 * be there when a node has copied a state: where fewer are kept, each short pause would be taken for the loss of the log's end.
 */
const LEAST_RECORDS = 1000;

/** Why the stream is not suitable for a log; `undefined` if it is. */
export function faultOfStream(found: StreamConfig, world: string): UmweltError | undefined {
  // A mirror has no subjects.
  const { subjects = [], mirror, sources = [] } = found;
  const faults = [
    found.sealed ? 'a seal' : '',
    found.no_ack ? 'no_ack' : '',
    mirror === undefined ? '' : `a mirror of ${mirror.name}`,
    sources.length === 0 ? '' : `sources ${sources.map(({ name }) => name).join()}`,
    subjects.join() === subjectOf(world) ? '' : `subjects ${subjects.join() || 'none'}`,
    found.retention === RetentionPolicy.Limits ? '' : `retention ${found.retention}`,
    found.discard === DiscardPolicy.Old ? '' : `discard ${found.discard}`,
    found.max_msgs_per_subject > 0 ? `max_msgs_per_subject ${found.max_msgs_per_subject}` : '',
    found.max_msg_size > 0 && found.max_msg_size < RECORD_BYTES_MAX
      ? `max_msg_size ${found.max_msg_size}`
      : '',
    isBelow(found.max_msgs, LEAST_RECORDS) ? `max_msgs ${found.max_msgs}` : '',
    isBelow(found.max_bytes, LEAST_BYTES) ? `max_bytes ${found.max_bytes}` : '',
    isBelow(found.max_age, nanos(LEAST_AGE_MS)) ? `max_age ${millis(found.max_age)} ms` : '',
  ].filter((fault) => fault !== '');
  if (faults.length === 0) return undefined;
  return new UmweltError(
    'SETTINGS_DIFFER',
    `the stream ${streamOf(world)} is no log: it has ${faults.join(', ')}; expected the one subject ${subjectOf(world)}, retention limits, discard old, and no limit below ${LEAST_RECORDS} records, ${LEAST_BYTES} bytes or ${LEAST_AGE_MS} ms`,
  );
}

/** A limit of 0 or -1 is none. */
function isBelow(limit: number, least: number): boolean {
  return limit > 0 && limit < least;
}
