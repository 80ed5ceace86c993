/**
 * A player on the server: position, input, how it can be perceived, and what it has.
 */
import type { EntityId } from 'umwelt';
import type { Intent } from './intent.ts';

export interface Player {
  readonly id: EntityId;
  intent: Intent;
  x: number;
  y: number;
  /** 0 to 1. */
  energy: number;
  isCloaked: boolean;
  pace: number;
  carried: number;
  saved: number;
}
