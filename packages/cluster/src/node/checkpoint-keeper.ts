/**
 * Saves a checkpoint every few minutes, in case all nodes die. The oldest member does it, so only one of many nodes writes
 * to a shared store. A node that becomes the oldest member saves one at once.
 *
 * A save that does not settle is given up after three minutes, or after `checkpointMs` if that is longer, and the next one begins. Each
 * one that is given up in a row doubles that time, because the store may hold each of these states for ever: 16 in
 * a year.
 *
 * Where the log was begun anew, neither it nor an earlier checkpoint leads to the state that the world goes on from: what happens
 * after that is lost if all nodes die. So the node that began it saves at once, and so does the oldest member, in case that node dies
 * or its store fails; it tries again every 5 s.
 */
import { UmweltError } from 'umwelt';
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Replica } from '../state/replica.ts';
import { storeReplica } from '../state/stored-replica.ts';
import type { Environment } from './environment.ts';
import type { JoinSettings } from './join-options.ts';
import { writeCheckpoint } from './stored-checkpoint.ts';

/** `natsCheckpoints` gives its own calls up earlier. */
const SAVE_MS = 180_000;
/** Between two attempts to save a state from which alone the log goes on. */
const SOLE_MS = 5000;

export class CheckpointKeeper {
  /** Number of saves since its start, by how they ended, and of checkpoints that were passed over for an older one. */
  readonly ended = new Map([
    ['saved', 0],
    ['failed', 0],
    ['skipped', 0],
  ]);
  readonly #checkpoints: Checkpoints | undefined;
  readonly #periodMs: number;
  readonly #log: string | undefined;
  readonly #environment: Environment;
  readonly #failed: (error: unknown) => void;
  #begunAt: number | undefined;
  /** Where the log was last begun anew before a state that this node saved; 0 if it never was. */
  #anewPosition = 0;
  /** When a state was last saved, or this node became the one that saves. */
  #savedAt: number | undefined;
  /** The save under way, and when it began. */
  #saving: { readonly since: number } | undefined;
  /** A state that must be saved came while another one was saved. */
  #isOwed = false;
  #givenUp = 0;

  /** `failed`: called with the error when a state could not be saved; the next period tries again. */
  constructor(
    { checkpoints, checkpointMs, log }: Pick<JoinSettings, 'checkpoints' | 'checkpointMs' | 'log'>,
    environment: Environment,
    failed: (error: unknown) => void,
  ) {
    this.#checkpoints = checkpoints;
    this.#periodMs = checkpointMs;
    this.#log = log.name;
    this.#environment = environment;
    this.#failed = failed;
  }

  /** Milliseconds since this node saved a state, or became the one that saves; 0 while it is not. */
  get ageMs(): number {
    return this.#savedAt === undefined ? 0 : this.#environment.now() - this.#savedAt;
  }

  /** Called after a tick. `isFirst`: whether this is the oldest member. */
  ticked(replica: Replica, isFirst: boolean): void {
    if (!isFirst) this.#rest();
    if (this.#isOwed) this.save(replica);
    else if (isFirst && this.#checkpoints !== undefined) {
      const now = this.#environment.now();
      this.#savedAt ??= now;
      const isSole = replica.anewPosition !== this.#anewPosition;
      const periodMs = isSole ? Math.min(SOLE_MS, this.#periodMs) : this.#periodMs;
      const isDue = this.#begunAt === undefined || now - this.#begunAt >= periodMs;
      if (isDue && !this.#isSaving()) this.save(replica);
    }
  }

  /** Another node saves. */
  #rest(): void {
    this.#begunAt = undefined;
    this.#savedAt = undefined;
  }

  /** Saves this state, or a later one once the save under way has ended. */
  save(replica: Replica): void {
    if (this.#checkpoints === undefined) return;
    this.#isOwed = this.#isSaving();
    if (this.#isOwed) return;
    const saving = { since: this.#environment.now() };
    const { anewPosition } = replica;
    this.#saving = saving;
    this.#begunAt = saving.since;
    const settled = (outcome: () => void) => {
      // Also by one that was given up: the store works again.
      this.#givenUp = 0;
      if (this.#saving !== saving) return;
      this.#saving = undefined;
      outcome();
    };
    saved(this.#checkpoints, writeCheckpoint(storeReplica(replica), this.#log)).then(
      () =>
        settled(() => {
          this.#anewPosition = anewPosition;
          if (this.#savedAt !== undefined) this.#savedAt = this.#environment.now();
          this.#count('saved');
        }),
      (error: unknown) => settled(() => this.#fail(error)),
    );
  }

  /** Gives up the save under way if it takes too long: a timer would keep a process that has left from ending. */
  #isSaving(): boolean {
    if (this.#saving === undefined) return false;
    const patienceMs = Math.max(SAVE_MS, this.#periodMs) * 2 ** this.#givenUp;
    if (this.#environment.now() - this.#saving.since < patienceMs) return true;
    this.#saving = undefined;
    this.#givenUp++;
    this.#fail(notSettled(patienceMs));
    return false;
  }

  #fail(error: unknown): void {
    this.#count('failed');
    this.#failed(error);
  }

  /** The node goes on from a state and passed over so many checkpoints for it: damaged ones, and those that the log contradicts. */
  skipped(count: number): void {
    this.#count('skipped', count);
  }

  #count(end: 'saved' | 'failed' | 'skipped', count = 1): void {
    this.ended.set(end, (this.ended.get(end) ?? 0) + count);
  }
}

/** Rejects also with what `save` throws at once: it is called in the middle of a record, which must be applied completely. */
async function saved(checkpoints: Checkpoints, state: Uint8Array): Promise<void> {
  await checkpoints.save(state);
}

function notSettled(patienceMs: number): UmweltError {
  return new UmweltError(
    'LOG_DOWN',
    `save() of the checkpoints did not settle within ${patienceMs} ms, expected that it resolves or rejects: the next one begins`,
  );
}
