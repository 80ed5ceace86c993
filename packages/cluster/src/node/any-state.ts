/** Where a node that enters gets the state that it goes on from, and whether that state belongs to its log. */
import { UmweltError } from 'umwelt';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import { isSameWord, readRecord, type Word64 } from '../records/record.ts';
import { Replica, type ReplicaOptions } from '../state/replica.ts';
import { loadReplica } from '../state/stored-replica.ts';
import { aheadOfLog, differs, notOfThisLog, ofAnotherLog } from './join-faults.ts';
import type { JoinSettings } from './join-options.ts';
import { askForState } from './state-transfer.ts';
import { readCheckpoint } from './stored-checkpoint.ts';
import { hasAny, isCutOff, isTailKept } from './tail-check.ts';

export interface Search {
  /**
   * Whether a member that is there and does not answer is an error. Else it is passed over: its machine may have died, which a broker
   * notices only minutes later; and the log leads to the same state.
   */
  insists(): boolean;
  /** Called with what would be the fault if nothing more came, and with none when it came. */
  waits(fault: Error | undefined): void;
}

export interface FoundState {
  readonly replica: Replica;
  /** Whether the log has other records than those that it was made from. */
  readonly isAhead: boolean;
  /** How many newer checkpoints were passed over. */
  readonly skippedCount: number;
}

/**
 * The state of a member, a checkpoint, or an empty world. Rejects if it does not match the log; but where the log has lost its end, no
 * checkpoint may match it, and the newest one is returned all the same.
 */
export async function anyState(
  settings: JoinSettings,
  options: ReplicaOptions,
  { insists, waits }: Search,
): Promise<FoundState> {
  const { log, checkpoints } = settings;
  const asked = await askForState(log).catch((error: unknown) => {
    if (insists()) throw error;
    return undefined;
  });
  if (asked !== undefined) {
    const replica = (await checkedState(asked, settings, options)) ?? aheadOfLog();
    return { replica, isAhead: false, skippedCount: 0 };
  }
  if (checkpoints === undefined) return emptyState(options);
  waits(new Error('no member answers, and newest() of the checkpoints does not settle'));
  const found = await new StoredStates(checkpoints, settings, options).newest();
  waits(undefined);
  return found ?? emptyState(options);
}

function emptyState(options: ReplicaOptions): FoundState {
  return { replica: new Replica(options), isAhead: false, skippedCount: 0 };
}

interface Stored extends FoundState {
  /** The name of its log. */
  readonly log: string | undefined;
}

/**
 * The states of the checkpoints, newest first.
 *
 * Where all nodes died and the log lost its end, the newest checkpoint may have been made from records that the log does not have any
 * more, and others may stand in their place. An older one of the same world that goes with the log leads to the state in which that
 * world was last, and nothing is lost. Without one, the newest is all that is left: its node is ahead of the log, as any other may be.
 */
class StoredStates {
  readonly #checkpoints: Checkpoints;
  readonly #settings: JoinSettings;
  readonly #options: ReplicaOptions;
  /** The checkpoint that was found to be a state, so that the same bytes are not loaded twice. */
  #loaded: { readonly checkpoint: Uint8Array; readonly replica: Replica } | undefined;
  /** Of those that do not go with the log. */
  readonly #passed: Pick<Replica, 'position' | 'chain'>[] = [];

  constructor(checkpoints: Checkpoints, settings: JoinSettings, options: ReplicaOptions) {
    this.#checkpoints = checkpoints;
    this.#settings = settings;
    this.#options = options;
  }

  /** `undefined` if nothing was saved. */
  async newest(): Promise<FoundState | undefined> {
    const newest = await this.#next();
    if (newest === undefined) return undefined;
    const { log } = this.#settings;
    const isNamed = newest.log === undefined || log.name === undefined || newest.log === log.name;
    if (await isMatching(newest.replica, this.#settings, true)) {
      // The log itself says more than its name: it may have been copied.
      if (!isNamed && !(await hasAny(log, newest.replica.recent))) ofAnotherLog(newest.log, log.name);
      return newest;
    }
    const older = await this.#olderThan(newest.replica);
    if (older !== undefined) {
      void newest.replica.world.dispose();
      return older;
    }
    if (!isNamed || (await this.#isOfAnotherWorld(newest.replica))) notOfThisLog();
    return { ...newest, isAhead: true };
  }

  /** The next one of the same world with which the log goes on; `undefined` if there is none, or the store gives only the newest. */
  async #olderThan(newest: Replica): Promise<Stored | undefined> {
    for (let passed = newest; ; ) {
      this.#passed.push({ position: passed.position, chain: passed.chain });
      const older = await this.#next().catch((error: unknown) => {
        if (error instanceof UmweltError && error.code === 'BAD_SNAPSHOT') return undefined;
        throw error;
      });
      if (older === undefined) return undefined;
      const { replica } = older;
      const isNext = isOfOneWorld(replica, newest) && !this.#wasPassed(replica);
      if (isNext && (await this.#goesOn(replica))) return older;
      void replica.world.dispose();
      if (!isNext) return undefined;
      passed = replica;
    }
  }

  async #goesOn({ recent, position }: Replica): Promise<boolean> {
    const { log } = this.#settings;
    return (await isTailKept(log, recent, true)) && !(await isCutOff(log, position));
  }

  async #next(): Promise<Stored | undefined> {
    let skippedCount = 0;
    const checkpoint = await this.#checkpoints.newest({
      isUsable: (bytes) => this.#isNext(bytes),
      skipped: (count) => {
        skippedCount = count;
      },
    });
    if (checkpoint === undefined) return undefined;
    const { log, state } = readCheckpoint(checkpoint);
    const loaded = this.#loaded;
    this.#loaded = undefined;
    // A store may have asked about another one, or about none.
    const isLoaded = loaded?.checkpoint === checkpoint;
    if (loaded !== undefined && !isLoaded) void loaded.replica.world.dispose();
    const replica = isLoaded ? loaded.replica : loadReplica(state, this.#options);
    return { replica, isAhead: false, log, skippedCount };
  }

  /**
   * False for bytes that are no state, or one that was passed over. One of another version or of other settings is one: the caller is
   * told of that.
   */
  #isNext(checkpoint: Uint8Array): boolean {
    void this.#loaded?.replica.world.dispose();
    this.#loaded = undefined;
    try {
      const replica = loadReplica(readCheckpoint(checkpoint).state, this.#options);
      this.#loaded = { checkpoint, replica };
      return !this.#wasPassed(replica);
    } catch (error) {
      return !(error instanceof UmweltError && error.code === 'BAD_SNAPSHOT');
    }
  }

  #wasPassed({ position, chain }: Pick<Replica, 'position' | 'chain'>): boolean {
    return this.#passed.some((each) => each.position === position && isSameWord(each.chain, chain));
  }

  /** Whether the log begins with the first hello of another world. */
  async #isOfAnotherWorld({ members }: Replica): Promise<boolean> {
    const nonce = firstNonceOf(await this.#settings.log.read(1));
    const { origin } = members.settings ?? {};
    return nonce !== undefined && origin !== undefined && !isSameWord(nonce, origin);
  }
}

function isOfOneWorld(first: Replica, second: Replica): boolean {
  const [one, other] = [first, second].map(({ members }) => members.settings?.origin);
  return one !== undefined && other !== undefined && isSameWord(one, other);
}

function firstNonceOf(bytes: Uint8Array | undefined): Word64 | undefined {
  if (bytes === undefined) return undefined;
  try {
    const record = readRecord(bytes);
    return record.kind === 'hello' ? record.hello.nonce : undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` if it does not match the log. */
export async function checkedState(
  bytes: Uint8Array,
  settings: JoinSettings,
  options: ReplicaOptions,
): Promise<Replica | undefined> {
  const replica = loadReplica(bytes, options);
  return (await isMatching(replica, settings)) ? replica : undefined;
}

/** Whether the state matches the log. `mayBeForgotten`: records that it was made from may be no longer kept. */
async function isMatching(
  { members: { settings }, recent }: Replica,
  { log, settings: own }: JoinSettings,
  mayBeForgotten = false,
): Promise<boolean> {
  if (settings !== undefined && !isSameWord(settings.settings, own)) throw differs();
  return isTailKept(log, recent, mayBeForgotten);
}
