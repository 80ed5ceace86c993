/**
 * A log on NATS JetStream: one stream a world, which gives the records of all nodes one order.
 *
 * The NATS client is loaded when a log is opened: a program that stays with `memoryLog` does not have it in memory. What
 * nodes rely on is the order alone. A record that was acknowledged may still be lost with the broker's machine; then
 * `read` answers other bytes, or none, where a node had one.
 */
import {
  checkedNatsOptions,
  NATS_OPTIONS,
  type NatsLog,
  type NatsOptions,
  rejectUnknown,
  wholeFrom,
} from './nats-options.ts';

/** Options of a log on NATS. */
export interface NatsLogOptions extends NatsOptions {
  /** How long a record is kept, in ms: at least twice what lies between two checkpoints. Default 10 minutes. */
  readonly maxAgeMs?: number;
  /** Whether a world that the broker does not know is begun. Default true; false for who only looks. */
  readonly create?: boolean;
}

const MAX_AGE_MS = 10 * 60_000;
const LEAST_AGE_MS = 1000;

/**
 * Opens a world's log, and makes its stream where there is none. A stream that is there is taken as it is, with its own
 * limits. Throws `BAD_OPTION`, also where the broker has no room for `maxBytes`; `SETTINGS_DIFFER` where a stream of that
 * name is none for a log; `LOG_DOWN` where no broker answers within `connectMs`.
 */
export async function natsLog(options: NatsLogOptions): Promise<NatsLog> {
  rejectUnknown(options, [...NATS_OPTIONS, 'maxAgeMs', 'create']);
  const checked = checkedNatsOptions(options);
  const maxAgeMs = wholeFrom('maxAgeMs', options.maxAgeMs ?? MAX_AGE_MS, LEAST_AGE_MS);
  const { BrokerLog } = await import('./nats/broker-log.ts');
  return BrokerLog.open({ ...checked, maxAgeMs, create: options.create !== false });
}
