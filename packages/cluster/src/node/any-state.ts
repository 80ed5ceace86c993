/** Where a node that enters gets the state that it goes on from, and whether that state belongs to its log. */
import { UmweltError } from 'umwelt';
import { isSameWord } from '../records/record.ts';
import { Replica, type ReplicaOptions } from '../state/replica.ts';
import { loadReplica } from '../state/stored-replica.ts';
import { aheadOfLog, differs, notOfThisLog, ofAnotherLog } from './join-faults.ts';
import type { JoinSettings } from './join-options.ts';
import { askForState } from './state-transfer.ts';
import { readCheckpoint } from './stored-checkpoint.ts';
import { hasAny, isTailKept } from './tail-check.ts';

export interface Search {
  /**
   * Whether a member that is there and does not answer is an error. Else it is passed over: its machine may have died, which a broker
   * notices only minutes later; and the log leads to the same state.
   */
  insists(): boolean;
  /** Called with what would be the fault if nothing more came, and with none when it came. */
  waits(fault: Error | undefined): void;
  /** Called with how many damaged checkpoints are newer than the one that was read. */
  skipped(count: number): void;
}

/** The state of a member, a checkpoint, or an empty world. Rejects if it does not match the log. */
export async function anyState(
  settings: JoinSettings,
  options: ReplicaOptions,
  { insists, waits, skipped }: Search,
): Promise<Replica> {
  const { log, checkpoints } = settings;
  const asked = await askForState(log).catch((error: unknown) => {
    if (insists()) throw error;
    return undefined;
  });
  if (asked !== undefined) return (await checkedState(asked, settings, options)) ?? aheadOfLog();
  if (checkpoints !== undefined)
    waits(new Error('no member answers, and newest() of the checkpoints does not settle'));
  const stored = await checkpoints?.newest({ isUsable: (bytes) => isState(bytes, options), skipped });
  waits(undefined);
  return stored === undefined ? new Replica(options) : storedState(stored, settings, options);
}

/** False for bytes that are no state. One of another version or of other settings is one: the caller is told of that. */
function isState(checkpoint: Uint8Array, options: ReplicaOptions): boolean {
  try {
    const { world } = loadReplica(readCheckpoint(checkpoint).state, options);
    void world.dispose();
    return true;
  } catch (error) {
    return !(error instanceof UmweltError && error.code === 'BAD_SNAPSHOT');
  }
}

async function storedState(
  checkpoint: Uint8Array,
  settings: JoinSettings,
  options: ReplicaOptions,
): Promise<Replica> {
  const { log: name, state } = readCheckpoint(checkpoint);
  const replica = (await checkedState(state, settings, options, true)) ?? notOfThisLog();
  const { log } = settings;
  const isNamed = name !== undefined && log.name !== undefined && name !== log.name;
  // The log itself says more than its name: it may have been copied.
  if (isNamed && !(await hasAny(log, replica.recent))) ofAnotherLog(name, log.name);
  return replica;
}

/** `undefined` if it does not match the log. `mayBeForgotten`: records that it was made from may be no longer kept. */
export async function checkedState(
  bytes: Uint8Array,
  { log, settings: own }: JoinSettings,
  options: ReplicaOptions,
  mayBeForgotten = false,
): Promise<Replica | undefined> {
  const replica = loadReplica(bytes, options);
  const { settings } = replica.members;
  if (settings !== undefined && !isSameWord(settings.settings, own)) throw differs();
  return (await isTailKept(log, replica.recent, mayBeForgotten)) ? replica : undefined;
}
