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
  const loaded = new LoadedCheckpoint(options);
  const stored = await checkpoints?.newest({ isUsable: (bytes) => loaded.isState(bytes), skipped });
  waits(undefined);
  return stored === undefined ? new Replica(options) : storedState(stored, settings, loaded);
}

/** The checkpoint that was found to be a state, so that the same bytes are not loaded twice. */
class LoadedCheckpoint {
  readonly #options: ReplicaOptions;
  #checkpoint: Uint8Array | undefined;
  #replica: Replica | undefined;

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  /** False for bytes that are no state. One of another version or of other settings is one: the caller is told of that. */
  isState(checkpoint: Uint8Array): boolean {
    void this.#replica?.world.dispose();
    this.#replica = undefined;
    this.#checkpoint = checkpoint;
    try {
      this.#replica = loadReplica(readCheckpoint(checkpoint).state, this.#options);
      return true;
    } catch (error) {
      return !(error instanceof UmweltError && error.code === 'BAD_SNAPSHOT');
    }
  }

  /** The state of a checkpoint. A store may have asked about another one, or about none. */
  of(checkpoint: Uint8Array): Replica {
    if (this.#checkpoint === checkpoint && this.#replica !== undefined) return this.#replica;
    void this.#replica?.world.dispose();
    return loadReplica(readCheckpoint(checkpoint).state, this.#options);
  }
}

async function storedState(
  checkpoint: Uint8Array,
  settings: JoinSettings,
  loaded: LoadedCheckpoint,
): Promise<Replica> {
  const { log: name } = readCheckpoint(checkpoint);
  const replica = (await matching(loaded.of(checkpoint), settings, true)) ?? notOfThisLog();
  const { log } = settings;
  const isNamed = name !== undefined && log.name !== undefined && name !== log.name;
  // The log itself says more than its name: it may have been copied.
  if (isNamed && !(await hasAny(log, replica.recent))) ofAnotherLog(name, log.name);
  return replica;
}

/** `undefined` if it does not match the log. */
export async function checkedState(
  bytes: Uint8Array,
  settings: JoinSettings,
  options: ReplicaOptions,
): Promise<Replica | undefined> {
  return matching(loadReplica(bytes, options), settings);
}

/** `undefined` if the state does not match the log. `mayBeForgotten`: records that it was made from may be no longer kept. */
async function matching(
  replica: Replica,
  { log, settings: own }: JoinSettings,
  mayBeForgotten = false,
): Promise<Replica | undefined> {
  const { settings } = replica.members;
  if (settings !== undefined && !isSameWord(settings.settings, own)) throw differs();
  return (await isTailKept(log, replica.recent, mayBeForgotten)) ? replica : undefined;
}
