/**
 * What was so at each tick, and what a client may therefore say of it: why those left that did, and whose child is whose.
 *
 * Frames come late, and what one misses a later one tells; so a client is held to what was so at the tick of the frame that it hears, by a
 * past that is written down from the world alone. One that left is gone where the tick that ended it had removed it, and out of range
 * otherwise, whatever becomes of it later. Where a game moves a view to another watcher between two ticks, both are right.
 */
import type { LeaveReason, UmweltClient } from '@umwelt/client';
import type { EntityId, World } from 'umwelt';

/** A client is silent for no longer. */
const TICKS_KEPT = 1000;
const NOBODY: ReadonlySet<EntityId> = new Set();

interface Departure {
  readonly tick: number;
  /** `undefined`: it may be either. */
  readonly reason: LeaveReason | undefined;
}

export interface PastCounts {
  gone: number;
  outOfRange: number;
  /** Children that entered with their parents, or after them. */
  children: number;
}

export class Past {
  readonly counts: PastCounts;
  /** By player. */
  readonly #departures: Map<EntityId, Departure[]>[];
  /** By player, of the last tick: what the game lets it be. */
  readonly #parts: string[];
  /** By tick: whom each player is shown, and whose child is whose. */
  readonly #shown = new Map<number, readonly ReadonlySet<EntityId>[]>();
  readonly #parents = new Map<number, ReadonlyMap<EntityId, EntityId>>();

  constructor(players: number, counts: PastCounts = { gone: 0, outOfRange: 0, children: 0 }) {
    this.counts = counts;
    this.#departures = Array.from({ length: players }, () => new Map());
    this.#parts = Array.from({ length: players }, () => '');
  }

  /**
   * A tick is over. `parts`: what the game had each player be until then, and what is left of it; `shown`: whom each is shown now.
   */
  note(
    world: World,
    parts: readonly { readonly before: string; readonly after: string }[],
    shown: readonly ReadonlySet<EntityId>[],
  ): void {
    const tick = world.tickCount;
    const earlier = this.#shown.get(tick - 1);
    for (const [player, { before, after }] of parts.entries()) {
      const isSame = before === this.#parts[player];
      this.#parts[player] = after;
      for (const id of earlier?.[player] ?? NOBODY) {
        if (shown[player]!.has(id)) continue;
        const reason = !isSame ? undefined : world.has(id) ? 'out of range' : 'gone';
        const departures = this.#departures[player]!;
        departures.set(id, [...(departures.get(id) ?? []), { tick, reason }]);
      }
    }
    this.#shown.set(tick, shown);
    const children = [...world.ids()].filter((id) => world.parentOf(id) !== undefined);
    this.#parents.set(tick, new Map(children.map((id) => [id, world.parentOf(id)!])));
    this.#shown.delete(tick - TICKS_KEPT);
    this.#parents.delete(tick - TICKS_KEPT);
  }

  /** Why one left the player at last, as of a tick; `undefined`: it may be either. */
  reasonOf(player: number, id: EntityId, tick: number): LeaveReason | undefined {
    const departures = this.#departures[player]!.get(id) ?? [];
    return departures.findLast((one) => one.tick <= tick)?.reason;
  }

  parentOf(id: EntityId, tick: number): EntityId | undefined {
    return this.#parents.get(tick)?.get(id);
  }

  wasShown(player: number, id: EntityId, tick: number): boolean {
    return this.#shown.get(tick)?.[player]?.has(id) ?? false;
  }
}

/** Holds what a client tells its page to the past. Its listeners throw at the first thing that is wrong. */
export function holdTo(
  pastOf: () => Past | undefined,
  player: number,
  client: Pick<UmweltClient, 'on' | 'entities' | 'tick'>,
): void {
  const known = new Set<EntityId>();
  let entering: EntityId[] = [];
  const wrong = (what: string): Error => new Error(`player ${player} hears in frame ${client.tick} ${what}`);
  client.on('leave', ({ id }, reason) => {
    known.delete(id);
    const past = pastOf();
    if (past === undefined || reason === 'unknown') return;
    const right = past.reasonOf(player, id, client.tick);
    if (right !== undefined && right !== reason)
      throw wrong(`that ${id} left as ${reason}, and it was ${right}`);
    past.counts[reason === 'gone' ? 'gone' : 'outOfRange']++;
  });
  client.on('enter', ({ id, parent }) => {
    known.add(id);
    entering.push(id);
    if (parent !== undefined && !known.has(parent.id)) throw wrong(`of ${id} before its parent ${parent.id}`);
  });
  client.on('frame', (tick) => {
    const entered = entering;
    entering = [];
    const past = pastOf();
    if (past === undefined) return;
    for (const id of entered) {
      const parent = past.parentOf(id, tick);
      if (parent === undefined) continue;
      past.counts.children++;
      if (past.wasShown(player, parent, tick) && !client.entities.has(parent))
        throw wrong(`of ${id}, and not of its parent ${parent}, whom it is to have`);
    }
    for (const [id, { parent }] of client.entities) {
      const right = past.parentOf(id, tick);
      const told = right !== undefined && client.entities.has(right) ? right : undefined;
      if (parent?.id !== told) throw wrong(`that ${parent?.id} is the parent of ${id}, and it is ${told}`);
    }
  });
}
