/**
 * Saves a checkpoint every few minutes, in case all nodes die. The oldest member does it, so only one of many nodes writes
 * to a shared store. A node that becomes the oldest member saves one at once.
 */
import type { Checkpoints } from '../checkpoints/checkpoints.ts';
import type { Replica } from '../state/replica.ts';
import { storeReplica } from '../state/stored-replica.ts';
import type { Environment } from './environment.ts';

export class CheckpointKeeper {
  readonly #checkpoints: Checkpoints | undefined;
  readonly #periodMs: number;
  readonly #environment: Environment;
  readonly #failed: (error: unknown) => void;
  #savedAt: number | undefined;
  #isSaving = false;

  /** `failed`: called with the error when a state could not be saved; the next period tries again. */
  constructor(
    checkpoints: Checkpoints | undefined,
    periodMs: number,
    environment: Environment,
    failed: (error: unknown) => void,
  ) {
    this.#checkpoints = checkpoints;
    this.#periodMs = periodMs;
    this.#environment = environment;
    this.#failed = failed;
  }

  /** Called after a tick. `isFirst`: whether this is the oldest member. */
  ticked(replica: Replica, isFirst: boolean): void {
    if (!isFirst) this.#savedAt = undefined;
    else if (this.#savedAt === undefined || this.#environment.now() - this.#savedAt >= this.#periodMs) {
      this.save(replica);
    }
  }

  save(replica: Replica): void {
    if (this.#checkpoints === undefined || this.#isSaving) return;
    this.#isSaving = true;
    this.#savedAt = this.#environment.now();
    saved(this.#checkpoints, storeReplica(replica)).then(
      () => {
        this.#isSaving = false;
      },
      (error: unknown) => {
        this.#isSaving = false;
        this.#failed(error);
      },
    );
  }
}

/** Rejects also with what `save` throws at once: it is called in the middle of a record, which must be applied completely. */
async function saved(checkpoints: Checkpoints, state: Uint8Array): Promise<void> {
  await checkpoints.save(state);
}
