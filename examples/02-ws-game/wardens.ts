/**
 * Wardens: they wander, search where they hear a player, and chase players that they see.
 *
 * They know only what the engine says that they perceive, as on a player's screen: a cloaked player that stands still does not exist
 * for them, a running player is a noise, and they go to where the noise was.
 */
import type { Gateway } from '@umwelt/gateway';
import type { EntityId, World } from 'umwelt';
import type { Player } from './player.ts';
import { FIRE_RADIUS, KIND, LAYER, LOUDNESS, MOOD, PACE, SIDE, TICK_MS, within } from './rules.ts';

/** Bit of the first sense. */
const BY_SIGHT = 1;
const SEES = 170;
const HEARS = 260;
/** Units per second, by mood. */
const SPEED = [42, 70, 128] as const;
const CATCH_RADIUS = 18;
/** How long a warden looks around where it lost a player, in ticks. */
const PAUSE_TICKS = 40;
const SECONDS = TICK_MS / 1000;

interface Warden {
  readonly id: EntityId;
  x: number;
  y: number;
  mood: number;
  /** Its target. */
  goalX: number;
  goalY: number;
  pauseTicks: number;
}

export class Wardens {
  readonly #world: World;
  readonly #gateway: Gateway;
  readonly #random: () => number;
  readonly #wardens: Warden[] = [];

  constructor(world: World, gateway: Gateway, count: number, random: () => number) {
    this.#world = world;
    this.#gateway = gateway;
    this.#random = random;
    for (let i = 0; i < count; i++) this.#wardens.push(this.#add());
  }

  /** Moves all wardens; returns the players that they have caught. */
  step(players: ReadonlyMap<EntityId, Player>): Player[] {
    const caught: Player[] = [];
    for (const warden of this.#wardens) {
      const prey = this.#attend(warden, players);
      this.#walk(warden);
      if (prey !== undefined && Math.hypot(prey.x - warden.x, prey.y - warden.y) < CATCH_RADIUS)
        caught.push(prey);
    }
    return caught;
  }

  #add(): Warden {
    const [x, y] = [this.#somewhere(), this.#somewhere()];
    const id = this.#world.add({
      x,
      y,
      range: { sight: SEES, hearing: HEARS },
      gain: { hearing: LOUDNESS[PACE.walking] },
      layers: LAYER.warden,
      sees: LAYER.player,
      updates: false,
    });
    this.#gateway.set(id, { kind: KIND.warden, mood: MOOD.calm, pace: PACE.walking });
    return { id, x, y, mood: MOOD.calm, goalX: x, goalY: y, pauseTicks: 0 };
  }

  /** Reacts to what the warden perceives; returns the player that it sees. */
  #attend(warden: Warden, players: ReadonlyMap<EntityId, Player>): Player | undefined {
    let nearest: Player | undefined;
    let isSeen = false;
    for (const id of this.#world.visibleTo(warden.id)) {
      const player = players.get(id);
      if (player === undefined || Math.hypot(player.x, player.y) < FIRE_RADIUS) continue;
      const sees = (this.#world.senses(warden.id, id) & BY_SIGHT) !== 0;
      // A seen player counts before one that is only heard.
      if (isSeen && !sees) continue;
      if (nearest === undefined || sees !== isSeen || isNearer(warden, player, nearest)) nearest = player;
      isSeen = sees;
    }
    if (nearest !== undefined) {
      [warden.goalX, warden.goalY] = [nearest.x, nearest.y];
      warden.pauseTicks = PAUSE_TICKS;
      this.#setMood(warden, isSeen ? MOOD.chasing : MOOD.curious);
    }
    return isSeen ? nearest : undefined;
  }

  #walk(warden: Warden): void {
    const distance = Math.hypot(warden.goalX - warden.x, warden.goalY - warden.y);
    const step = (SPEED[warden.mood] ?? 0) * SECONDS;
    if (distance <= step) {
      this.#arrive(warden);
      return;
    }
    let x = warden.x + ((warden.goalX - warden.x) / distance) * step;
    let y = warden.y + ((warden.goalY - warden.y) / distance) * step;
    const fromFire = Math.hypot(x, y);
    if (fromFire < FIRE_RADIUS * 1.2) {
      // Along the light's edge instead of through it.
      [x, y] = [(x / fromFire) * FIRE_RADIUS * 1.2, (y / fromFire) * FIRE_RADIUS * 1.2];
      if (warden.pauseTicks-- <= 0) this.#wander(warden);
    }
    [warden.x, warden.y] = [within(x), within(y)];
    this.#world.move(warden.id, warden.x, warden.y);
  }

  /** Looks around for a while, then goes elsewhere. */
  #arrive(warden: Warden): void {
    if (warden.pauseTicks-- > 0) return;
    this.#wander(warden);
  }

  #wander(warden: Warden): void {
    this.#setMood(warden, MOOD.calm);
    warden.pauseTicks = Math.floor(this.#random() * PAUSE_TICKS);
    [warden.goalX, warden.goalY] = [this.#somewhere(), this.#somewhere()];
  }

  #setMood(warden: Warden, mood: number): void {
    if (mood === warden.mood) return;
    warden.mood = mood;
    const pace = mood === MOOD.chasing ? PACE.running : PACE.walking;
    this.#world.update(warden.id, { gain: { hearing: LOUDNESS[pace] } });
    this.#gateway.set(warden.id, { mood, pace });
  }

  #somewhere(): number {
    const place = (this.#random() - 0.5) * SIDE;
    // No warden starts or aims within the fire's light.
    return Math.abs(place) < FIRE_RADIUS * 1.5 ? Math.sign(place || 1) * FIRE_RADIUS * 1.5 : place;
  }
}

function isNearer({ x, y }: Warden, one: Player, other: Player): boolean {
  return Math.hypot(one.x - x, one.y - y) < Math.hypot(other.x - x, other.y - y);
}
