/**
 * The game: players gather embers in a wood at night and bring them to the fire; wardens that see or hear players take the embers
 * away.
 *
 * The engine decides which entities perceive which: sight and hearing are two senses, a cloak is gain 0 of sight, footsteps are a
 * gain of hearing that depends on the pace, and the fire has a minReach that covers the whole wood. A player is shown what its
 * entity perceives, and wardens act on what they perceive. Names and kinds need sight: an entity that is only heard is anonymous.
 */
import { type Clock, Gateway, type Transport } from '@umwelt/gateway';
import { type EntityId, World } from 'umwelt';
import { NO_INTENT, readIntent } from './intent.ts';
import type { Player } from './player.ts';
import {
  CLOAK_SECONDS,
  CLOAKED_SHARE,
  FIRE_RADIUS,
  HEARING,
  KIND,
  LAYER,
  LOUDNESS,
  MESSAGE,
  PACE,
  REST_SECONDS,
  SIDE,
  SIGHT,
  SPEED,
  TICK_MS,
  within,
} from './rules.ts';
import { Wardens } from './wardens.ts';

const NAME_LENGTH_MAX = 16;
const PICK_RADIUS = 20;
const SECONDS = TICK_MS / 1000;

export interface GameOptions {
  readonly wardens?: number;
  readonly embers?: number;
  /** Returns 0 to 1, as Math.random. */
  readonly random?: () => number;
  /** The gateway's clock. Default: the system's. */
  readonly clock?: Clock;
  /** Start position of the next player. Default: within the fire's light. */
  readonly spawn?: () => { x: number; y: number };
}

export class Game {
  readonly world = new World({ senses: ['sight', 'hearing'] });
  readonly players = new Map<EntityId, Player>();
  readonly #gateway: Gateway;
  readonly #wardens: Wardens;
  readonly #random: () => number;
  readonly #spawn: () => { x: number; y: number };

  constructor({ wardens = 22, embers = 150, random = Math.random, clock, spawn }: GameOptions = {}) {
    this.#random = random;
    this.#spawn = spawn ?? (() => this.#atFire());
    this.#gateway = new Gateway(this.world, {
      tickMs: TICK_MS,
      ...(clock === undefined ? {} : { clock }),
      appearance: {
        positionStep: 0.1,
        fields: {
          kind: { type: 'uint', sense: 'sight' },
          name: { type: 'string', max: NAME_LENGTH_MAX * 4, sense: 'sight' },
          mood: { type: 'uint', sense: 'sight' },
          carried: { type: 'uint', sense: 'sight' },
          saved: { type: 'uint', sense: 'sight' },
          pace: { type: 'uint' },
          energy: { type: 'uint', audience: 'owner' },
          cloaked: { type: 'bool', audience: 'owner' },
        },
      },
      authenticate: ({ credential }) => ({ watcher: this.#addPlayer(credential).id }),
      onInput: ({ own }, payload) => {
        const player = this.players.get(own);
        if (player !== undefined) player.intent = readIntent(payload) ?? player.intent;
      },
      onLeave: ({ own }) => {
        this.players.delete(own);
        if (this.world.has(own)) this.world.remove(own);
      },
    });
    const fire = this.world.add({ x: 0, y: 0, layers: LAYER.thing, minReach: { sight: 2 * SIDE } });
    this.#gateway.set(fire, { kind: KIND.fire });
    for (let i = 0; i < embers; i++) this.#addEmber();
    this.#wardens = new Wardens(this.world, this.#gateway, wardens, random);
  }

  listen(transport: Transport): Promise<void> {
    return this.#gateway.listen(transport);
  }

  drain(): Promise<void> {
    return this.#gateway.drain();
  }

  /** One tick: all entities move, embers change owners, and each player is sent a frame. */
  step(): void {
    for (const player of this.players.values()) this.#move(player);
    for (const caught of this.#wardens.step(this.players)) this.#catch(caught);
    for (const player of this.players.values()) this.#gather(player);
    this.#gateway.publish(this.world.tick());
  }

  #addPlayer(credential: string): Player {
    const { x, y } = this.#spawn();
    const id = this.world.add({
      x,
      y,
      range: { sight: SIGHT, hearing: HEARING },
      gain: { hearing: 0 },
      layers: LAYER.player,
      sees: LAYER.player | LAYER.warden | LAYER.thing,
    });
    const player: Player = {
      id,
      intent: NO_INTENT,
      x,
      y,
      energy: 1,
      isCloaked: false,
      pace: PACE.still,
      carried: 0,
      saved: 0,
    };
    this.players.set(id, player);
    const name = [...credential.replace(/\p{C}/gu, '').trim()].slice(0, NAME_LENGTH_MAX).join('');
    this.#gateway.set(id, { kind: KIND.player, name: name || 'Nobody', energy: 100 });
    return player;
  }

  /** Adds an ember somewhere in the dark. */
  #addEmber(): void {
    const angle = this.#random() * 2 * Math.PI;
    // Evenly over the disc outside the fire's light.
    const distance = Math.sqrt(
      FIRE_RADIUS ** 2 * 4 + this.#random() * ((SIDE / 2) ** 2 - FIRE_RADIUS ** 2 * 4),
    );
    const [x, y] = [Math.cos(angle) * distance, Math.sin(angle) * distance];
    const id = this.world.add({ x, y, layers: LAYER.thing, gain: { hearing: 0 } });
    this.#gateway.set(id, { kind: KIND.ember });
  }

  #move(player: Player): void {
    const { dx, dy, runs, cloaks } = player.intent;
    const isMoving = Math.hypot(dx, dy) > 0.1;
    const pace = !isMoving ? PACE.still : runs ? PACE.running : PACE.walking;
    const before = Math.round(player.energy * 100);
    player.energy = player.isCloaked
      ? Math.max(0, player.energy - SECONDS / CLOAK_SECONDS)
      : Math.min(1, player.energy + SECONDS / REST_SECONDS);
    // A used-up cloak must recover a little before it can be used again.
    const isCloaked = cloaks && player.energy > (player.isCloaked ? 0 : 0.15);
    if (pace !== player.pace || isCloaked !== player.isCloaked) this.#show(player, pace, isCloaked);
    const energy = Math.round(player.energy * 100);
    if (energy !== before) this.#gateway.set(player.id, { energy });
    if (!isMoving) return;
    const step = (SPEED[pace] ?? 0) * SECONDS * (isCloaked ? CLOAKED_SHARE : 1);
    player.x = within(player.x + dx * step);
    player.y = within(player.y + dy * step);
    this.world.move(player.id, player.x, player.y);
  }

  /** Sets how the player can be perceived from now on. */
  #show(player: Player, pace: number, isCloaked: boolean): void {
    player.pace = pace;
    player.isCloaked = isCloaked;
    // A cloak muffles footsteps, but not those of a runner.
    const isMuffled = isCloaked && pace !== PACE.running;
    const hearing = isMuffled ? 0 : (LOUDNESS[pace] ?? 0);
    this.world.update(player.id, { gain: { sight: isCloaked ? 0 : 1, hearing } });
    this.#gateway.set(player.id, { pace, cloaked: isCloaked });
  }

  #gather(player: Player): void {
    const { x, y, id } = player;
    for (const thing of this.world.query(
      { kind: 'circle', x, y, radius: PICK_RADIUS },
      { layers: LAYER.thing },
    )) {
      if (this.#gateway.get(thing, 'kind') !== KIND.ember || !this.world.has(thing)) continue;
      this.world.remove(thing);
      this.#addEmber();
      player.carried++;
      this.#gateway.set(id, { carried: player.carried });
    }
    if (player.carried === 0 || Math.hypot(x, y) > FIRE_RADIUS) return;
    player.saved += player.carried;
    player.carried = 0;
    this.#gateway.set(id, { carried: 0, saved: player.saved });
    this.#gateway.broadcast(id, Uint8Array.of(MESSAGE.saved));
  }

  #catch(player: Player): void {
    // All watchers that perceive the player there get the message too: messages follow relations.
    this.#gateway.broadcast(player.id, Uint8Array.of(MESSAGE.caught));
    player.carried = 0;
    ({ x: player.x, y: player.y } = this.#atFire());
    this.world.move(player.id, player.x, player.y);
    this.#gateway.set(player.id, { carried: 0 });
  }

  #atFire(): { x: number; y: number } {
    const angle = this.#random() * 2 * Math.PI;
    return { x: Math.cos(angle) * FIRE_RADIUS * 0.6, y: Math.sin(angle) * FIRE_RADIUS * 0.6 };
  }
}
