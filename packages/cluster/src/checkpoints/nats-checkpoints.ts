/**
 * Checkpoints in the object store of the NATS broker that holds the log: no further service to run, and the same number of
 * replicas as the log.
 *
 * The NATS client is loaded when the store is opened, as in natsLog.
 */
import { rejectUnknown } from '../log/bad-option.ts';
import { checkedNatsOptions, NATS_OPTIONS, type NatsOptions, wholeFrom } from '../log/nats-options.ts';
import { KEEP, type NatsCheckpoints } from './checkpoints.ts';

/** `maxBytes` limits all kept checkpoints plus the one being saved. Default 1 GiB. */
export interface NatsCheckpointsOptions extends NatsOptions {
  /** Number of checkpoints to keep, at least 1; fewer if there is no room for so many. Default 2. */
  readonly keep?: number;
}

/**
 * Opens checkpoints on a broker. Throws as `natsLog` does, `SETTINGS_DIFFER` also for a bucket that drops what it has. Calls reject
 * with `LOG_DOWN`, `save` with `TOO_MUCH` when `maxBytes` has no room for a state beside the newest one, `newest` with `BAD_SNAPSHOT`
 * if there are checkpoints and all are damaged.
 */
export async function natsCheckpoints(options: NatsCheckpointsOptions): Promise<NatsCheckpoints> {
  rejectUnknown(options, [...NATS_OPTIONS, 'keep']);
  const checked = checkedNatsOptions(options);
  const { keep = KEEP } = options;
  wholeFrom('keep', keep, 1);
  const { ObjectCheckpoints } = await import('./object-checkpoints.ts');
  return ObjectCheckpoints.open({ ...checked, keep });
}
