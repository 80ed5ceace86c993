/**
 * The canary's game in mode 'frames': a gateway inside the room, and the player's plug-in as it is. Fields for all, for those near,
 * for the owner and for one sense; messages for all and for one sense; clients that are behind.
 */
import type { UmweltClient } from '@umwelt/client';
import type { EntityId } from 'umwelt';
import { perceive } from '../../src/client.ts';
import { RoomInterest } from '../../src/index.ts';
import { type Being, canary, NEAR_DISTANCE, SIGHT, SMELL } from './canary-model.ts';
import { type CanaryPlayer, type CanaryRoom, type CanaryStage, GRACE_MS, TICK_MS } from './canary-room.ts';
import { type LoopClient, LoopPlayerRoom, type LoopRoom } from './loop-room.ts';

const TEXT = { type: 'string', max: 40 } as const;

export class CanaryFrames implements CanaryRoom {
  readonly room: LoopRoom;
  readonly interest: RoomInterest;
  readonly #stage: CanaryStage;
  #tokens = 0;

  constructor(room: LoopRoom, stage: CanaryStage) {
    this.room = room;
    this.#stage = stage;
    this.interest = new RoomInterest(room as never, stage.world, {
      mode: 'frames',
      graceMs: GRACE_MS,
      tickMs: TICK_MS,
      clock: { now: () => stage.nowMs, repeat: () => () => {} },
      randomToken: () => new Uint8Array(Uint32Array.of(++this.#tokens, 0, 0, 0).buffer),
      appearance: {
        positionStep: 1,
        nearDistance: NEAR_DISTANCE,
        fields: {
          name: TEXT,
          near: { ...TEXT, audience: 'near' },
          owner: { ...TEXT, audience: 'owner' },
          scent: { ...TEXT, sense: 'smell' },
        },
      },
    });
  }

  put(id: EntityId, being: Being): void {
    this.change(id, being);
  }

  change(id: EntityId, { version }: Being): void {
    const text = (field: Parameters<typeof canary>[1]): string => canary(id, field, version);
    const { gateway } = this.interest;
    gateway.set(id, { name: text('name'), near: text('near'), owner: text('owner'), scent: text('scent') });
    if (version % 7 > 1) return;
    const isSmelt = version % 7 === 1;
    const message = text('message');
    this.#stage.model.say(message, id, isSmelt ? SMELL : SIGHT | SMELL);
    gateway.broadcast(id, Buffer.from(message), isSmelt ? { sense: 'smell' } : {});
  }

  take(): void {}

  patch(): void {}

  player(client: LoopClient): CanaryPlayer {
    return new FramesPlayer(client, this.#stage);
  }

  /** Its network takes nothing in for a while. */
  mischief(client: LoopClient, roll: (bound: number) => number): void {
    client.ref.bufferedAmount = roll(2) * 1e6;
  }
}

class FramesPlayer implements CanaryPlayer {
  client: LoopClient;
  frames = 0;
  readonly #stage: CanaryStage;
  readonly #room: LoopPlayerRoom;
  readonly #mirror: UmweltClient;
  #timers: { action: () => void; dueMs: number }[] = [];

  constructor(client: LoopClient, stage: CanaryStage) {
    this.client = client;
    this.#stage = stage;
    this.#room = new LoopPlayerRoom(client);
    this.#mirror = perceive(this.#room, {
      now: () => stage.nowMs,
      random: () => 0.5,
      retryMaxMs: 200,
      setTimer: (action, ms) => {
        const timer = { action, dueMs: stage.nowMs + ms };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((other) => other !== timer);
        };
      },
    });
    this.#mirror.on('frame', () => this.frames++);
    this.#mirror.connect();
  }

  had(): string[] | undefined {
    const { state, tick, entities } = this.#mirror;
    if (state !== 'open' || tick !== this.#stage.world.tickCount) return undefined;
    return [...entities.values()]
      .sort((one, other) => one.id - other.id)
      .map(({ id, x, y, fields }) => `${id} ${x} ${y} ${fields.name}`);
  }

  dropped(): void {
    this.#room.dropped();
  }

  reconnected(client: LoopClient): void {
    this.client = client;
    this.#room.reconnected(client);
  }

  deliver(most?: number): void {
    this.client.deliver(this.#room.listeners, most);
    const { nowMs } = this.#stage;
    const due = this.#timers.filter(({ dueMs }) => dueMs <= nowMs);
    this.#timers = this.#timers.filter(({ dueMs }) => dueMs > nowMs);
    for (const { action } of due) action();
  }
}
