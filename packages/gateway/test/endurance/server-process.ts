/** The server of an endurance run: a town on a port of the loopback, until it is told to save itself, or is killed. Ends with its parent. */
import { WebSocketTransport } from '../../src/index.ts';
import { heldMemory } from './held-memory.ts';
import type { Answer, ServerOrder, Sighting } from './messages.ts';
import { Town } from './town.ts';

/** Ticks at which mirrors are compared, one after the other: a client that is behind has no frame of some. */
const SAMPLED_TICKS = 4;
/** The crowd has to be told of them before they come. */
const NOTICE_MS = 1500;

let town: Town;
let ticking: NodeJS.Timeout;
let sampled: number[] = [];
let sightings: Sighting[] = [];

async function begin({ port, clients, tickMs, saved }: Extract<ServerOrder, { kind: 'begin' }>) {
  town = new Town(clients, tickMs, saved);
  const transport = new WebSocketTransport({ port, host: '127.0.0.1' });
  await town.gateway.listen(transport);
  ticking = setInterval(step, tickMs);
  answer({ kind: 'listening', port: transport.port });

  function step(): void {
    town.step();
    const { tickCount } = town.world;
    if (!sampled.includes(tickCount)) return;
    sightings.push(...town.sightings());
    if (tickCount !== sampled.at(-1)) return;
    answer({ kind: 'sightings', sightings });
    sightings = [];
  }

  process.on('message', (order: ServerOrder) => {
    if (order.kind === 'sample') {
      const first = town.world.tickCount + Math.ceil(NOTICE_MS / tickMs);
      sampled = Array.from({ length: SAMPLED_TICKS }, (_, i) => first + i);
      answer({ kind: 'sampling', ticks: sampled });
    } else if (order.kind === 'freeze') town.freeze();
    else if (order.kind === 'memory') answer(heldMemory());
    else if (order.kind === 'save') void save();
  });
}

async function save(): Promise<void> {
  clearInterval(ticking);
  // From here on nothing is taken in, so clients will miss nothing of what is saved.
  const drained = town.gateway.drain({ keepSessions: true });
  const told = new Promise((resolve) => process.send?.({ kind: 'saved', town: town.save() }, resolve));
  await Promise.all([drained, told]);
  process.disconnect();
}

function answer(message: Answer): void {
  process.send?.(message);
}

process.on('disconnect', () => process.exit());
process.once('message', (order: ServerOrder) => {
  if (order.kind === 'begin') void begin(order);
});
