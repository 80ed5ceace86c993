/**
 * A log on NATS JetStream: one stream per world, which orders the records of all nodes.
 *
 * The NATS client is loaded when a log is opened, so a program that only uses `memoryLog` never loads it. Nodes rely on the
 * order alone. An acknowledged record may still be lost with the broker's machine; `read` then returns other bytes, or none,
 * at a position that a node has already applied.
 */
import { badOption, rejectUnknown } from './bad-option.ts';
import {
  checkedNatsOptions,
  LEAST_AGE_MS,
  NATS_OPTIONS,
  type NatsLog,
  type NatsOptions,
  wholeFrom,
} from './nats-options.ts';

/** Options of `natsLog`. */
export interface NatsLogOptions extends NatsOptions {
  /** How long records are kept, in ms: at least twice the checkpoint interval. Default 10 minutes. */
  readonly maxAgeMs?: number;
  /** Whether to create the world's stream if the broker has none. Default true; use false to only look. */
  readonly create?: boolean;
}

const MAX_AGE_MS = 10 * 60_000;
/** The broker counts nanoseconds in 64 bits: 285 years. */
const MOST_AGE_MS = 9e12;

/**
 * Opens a world's log, and creates its stream if there is none. An existing stream is used as it is, with its own limits, if it
 * keeps at least 1,000 records, 1 MiB and 1 s.
 * Throws `BAD_OPTION`, also if the broker has no room for `maxBytes`; `SETTINGS_DIFFER` if the stream of that name is not
 * suitable for a log, or the broker takes no messages as long as records are; `LOG_DOWN` if no broker answers within `connectMs`.
 */
export async function natsLog(options: NatsLogOptions): Promise<NatsLog> {
  rejectUnknown(options, [...NATS_OPTIONS, 'maxAgeMs', 'create']);
  const checked = checkedNatsOptions(options);
  const { maxAgeMs = MAX_AGE_MS, create = true } = options;
  wholeFrom('maxAgeMs', maxAgeMs, LEAST_AGE_MS, MOST_AGE_MS);
  if (typeof create !== 'boolean') throw badOption('create', create, 'true or false');
  const { BrokerLog } = await import('./nats/broker-log.ts');
  return BrokerLog.open({ ...checked, maxAgeMs, create });
}
