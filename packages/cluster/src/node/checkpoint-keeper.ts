/**
 * Puts the state by, every few minutes, for when all nodes are dead. The member that is longest in the world does it, so
 * that of many nodes with one store a single one writes; who takes over from it begins with one at once.
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

  /** `failed`: hears why a state could not be put by; the next period tries again. */
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

  /** After a tick. `isFirst`: whether no member is longer in the world. */
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
    this.#checkpoints.save(storeReplica(replica)).then(
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
