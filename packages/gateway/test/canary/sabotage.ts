/** Faults that are planted to see whether the canary finds them. */
import type { ClientEvents, Entity, UmweltClient } from '@umwelt/client';
import type { Changes, EntityId, World } from 'umwelt';
import { Parentage } from '../../src/views/parentage.ts';
import type { Sabotage } from './canary-run.ts';

/** As if a session kept the number of a body that was somebody else's by now. */
export const wrongWatcher: Sabotage = {
  tick({ world, gateway }, tick) {
    if (tick !== 40) return;
    const [session] = gateway.sessions;
    session?.attach(world.add({ x: 0, y: 0, range: { sight: 10, smell: 16 } }), session.own);
  },
};

/** As if a gateway did not look at who was removed in a tick. */
export const goneForgotten: Sabotage = { world: (world) => tellRemoved(world, () => new Uint32Array(0)) };

/** As if it took all that left for removed. */
export const leftForGone: Sabotage = {
  world: (world) =>
    tellRemoved(world, (changes) => {
      const left = [...changes].flatMap((view) => [...view.left]);
      return Uint32Array.from(new Set([...changes.removed, ...left])).sort();
    }),
};

/** As if a client told its page the one reason for the other. */
export const reasonsMistaken: Sabotage = {
  client: (client) =>
    hear(client, 'leave', (tell) => (entity, reason) => {
      tell(entity, reason === 'gone' ? 'out of range' : reason === 'out of range' ? 'gone' : reason);
    }),
};

/** As if a client told of those who enter in the order of their ids. */
export const childrenFirst: Sabotage = {
  client: (client) => {
    let entering: Entity[] = [];
    hear(client, 'enter', (tell) => {
      client.on('frame', () => {
        const inOrder = entering.sort((one, other) => one.id - other.id);
        entering = [];
        for (const entity of inOrder) tell(entity);
      });
      return (entity) => void entering.push(entity);
    });
  },
};

/**
 * As if a gateway sent children whether their parents go with them or not; who is attached to whom is told as ever. Until what it
 * answers is called.
 */
export function parentsForgotten(): () => void {
  const { rowOf, toldTo } = Parentage.prototype;
  let isTelling = false;
  Parentage.prototype.toldTo = function (this: Parentage, rows) {
    isTelling = true;
    const told = toldTo.call(this, rows);
    isTelling = false;
    return told;
  };
  Parentage.prototype.rowOf = function (this: Parentage, rows, row) {
    return isTelling ? rowOf.call(this, rows, row) : -1;
  };
  return () => Object.assign(Parentage.prototype, { rowOf, toldTo });
}

/** Reports of the world name others as removed. */
function tellRemoved(world: World, removedOf: (changes: Changes) => Uint32Array<ArrayBufferLike>): void {
  const tick = world.tick.bind(world);
  world.tick = () => {
    const changes = tick();
    const removed: ArrayLike<EntityId> = removedOf(changes);
    const told = new Proxy(changes, {
      get(target, key) {
        if (key === 'removed') return removed;
        const value = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    // A gateway takes only what its world calls its last changes.
    Object.defineProperty(world, 'lastChanges', { configurable: true, get: () => told });
    return told;
  };
}

/** Whoever listens to that event from now on hears it by way of `alter`. */
function hear<Name extends 'enter' | 'leave'>(
  client: UmweltClient,
  name: Name,
  alter: (tell: ClientEvents[Name]) => ClientEvents[Name],
): void {
  const on = client.on.bind(client);
  client.on = (event, listener) =>
    on(event, (event as string) === name ? (alter(listener as never) as never) : listener);
}
