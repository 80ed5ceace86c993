// Example of: NodeEvent, NodeEvents, GainReason, LoseReason, WorldCalls
import {
  type GainReason,
  joinWorld,
  type LoseReason,
  memoryLog,
  type NodeEvent,
  type NodeEvents,
  type WorldCalls,
} from '@umwelt/cluster';
import type { EntityId } from 'umwelt';

const log = memoryLog();
const first = await joinWorld({ log, name: 'first', tickMs: 10 });
const second = await joinWorld({ log, name: 'second', tickMs: 10 });

const said: string[] = [];
const all = Promise.withResolvers<void>();
function say(text: string): void {
  if (said.push(text) === 3) all.resolve();
}
const gained: NodeEvents['gain'] = (_id, state, why: GainReason) =>
  say(`gained: ${why}, ${state.length} bytes`);
const lost: NodeEvents['lose'] = (_id, why: LoseReason) => say(`lost: ${why}`);
second.on('gain', gained);
second.on('message', (_id, bytes, from) => say(`${bytes.length} byte from ${from.name}`));
const event: NodeEvent = 'lose';
first.on(event, lost);

/** Code that changes the world by a node's calls and need not know the rest of the node. */
function spawn(calls: WorldCalls, x: number): Promise<EntityId> {
  return calls.add({ x, y: 0, range: 10 });
}
const wolf = await spawn(first, 5);
first.keep(wolf, Uint8Array.of(1, 2, 3)); // goes with it
first.give(wolf, 'second');
first.send(wolf, Uint8Array.of(7)); // reaches the node that owns it by then
await all.promise;
console.log(said.toSorted().join('; ')); // 1 byte from first; gained: given, 3 bytes; lost: given
await second.leave();
await first.leave();
