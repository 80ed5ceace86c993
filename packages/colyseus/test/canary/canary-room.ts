/**
 * What the canary's script needs of a game in one mode or the other: a world and an interest in a room without sockets, entities
 * whose every text is a canary, and players that take in what they are sent.
 */
import { type EntityId, World } from 'umwelt';
import type { RoomInterest } from '../../src/index.ts';
import type { Being, CanaryModel } from './canary-model.ts';
import type { LoopClient, LoopRoom } from './loop-room.ts';

export const GRACE_MS = 500;
export const TICK_MS = 50;

export interface CanaryPlayer {
  readonly client: LoopClient;
  /** Frames, or patches, that it has taken in. */
  readonly frames: number;
  /** What it has, a line for each entity in order; `undefined` where it has not heard of the last tick. */
  had(): string[] | undefined;
  dropped(): void;
  reconnected(client: LoopClient): void;
  /** Takes in what is under way, or only the oldest of it. */
  deliver(most?: number): void;
}

export interface CanaryRoom {
  readonly room: LoopRoom;
  readonly interest: RoomInterest;
  /** The entity has come, or is another now that its being is. */
  put(id: EntityId, being: Being): void;
  change(id: EntityId, being: Being): void;
  take(id: EntityId): void;
  /** After a tick was published. */
  patch(): void;
  player(client: LoopClient): CanaryPlayer;
  /** What only this mode has, now and then, after a patch; `roll` answers a whole number below `bound`. */
  mischief(client: LoopClient, roll: (bound: number) => number): void;
}

/** What the game's modes share. */
export interface CanaryStage {
  readonly world: World;
  readonly model: CanaryModel;
  /** Milliseconds. */
  nowMs: number;
}

export function newWorld(): World {
  return new World({ senses: ['sight', 'smell'] });
}
