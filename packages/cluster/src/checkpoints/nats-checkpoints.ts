/**
 * Checkpoints in the object store of the broker that has the log: nothing else to run, and as many copies as the log has.
 *
 * The NATS client is loaded when it is opened, as natsLog does.
 */
import {
  checkedNatsOptions,
  NATS_OPTIONS,
  type NatsOptions,
  rejectUnknown,
  wholeFrom,
} from '../log/nats-options.ts';
import { KEEP, type NatsCheckpoints } from './checkpoints.ts';

/** `maxBytes` bounds all that are kept, and one more while it is being saved. Default 1 GiB. */
export interface NatsCheckpointsOptions extends NatsOptions {
  /** How many are kept, from 1. Default 2. */
  readonly keep?: number;
}

/** Throws as `natsLog` does. Its calls reject with `LOG_DOWN`, and `save` with `TOO_MUCH` where `maxBytes` are used up. */
export async function natsCheckpoints(options: NatsCheckpointsOptions): Promise<NatsCheckpoints> {
  rejectUnknown(options, [...NATS_OPTIONS, 'keep']);
  const checked = checkedNatsOptions(options);
  const keep = wholeFrom('keep', options.keep ?? KEEP, 1);
  const { ObjectCheckpoints } = await import('./object-checkpoints.ts');
  return ObjectCheckpoints.open({ ...checked, keep });
}
