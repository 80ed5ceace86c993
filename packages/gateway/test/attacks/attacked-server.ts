/**
 * The process that is attacked: a gateway with its defaults on the loopback, a crowd that walks, and an open door: every credential
 * is let in, but 'never', which the game does not answer.
 *
 * Tells its port, and on request what it holds in memory and what it worked since it was last asked. Ends with its parent.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { type EntityId, World } from 'umwelt';
import { Gateway, WebSocketTransport } from '../../src/index.ts';

const TICK_MS = 50;
const CROWD = 300;
const WIDTH = 100;

const world = new World();
const crowd = world.addMany({
  x: Float32Array.from({ length: CROWD }, (_, i) => (i * 37) % WIDTH),
  y: Float32Array.from({ length: CROWD }, (_, i) => (i * 61) % WIDTH),
});
const bodies = new Map<string, EntityId>();
const gateway = new Gateway(world, {
  tickMs: TICK_MS,
  appearance: { positionStep: 0.01, fields: { name: { type: 'string' } } },
  logger: pino({ enabled: false }),
  authenticate({ credential }) {
    if (credential === 'never') return new Promise(() => {});
    const known = bodies.get(credential);
    // Attackers are kept apart from the crowd: what a crowd of them costs is the game's affair.
    const isHonest = /^(honest|newcomer)/.test(credential);
    const x = isHonest ? (world.size * 7) % WIDTH : 1000 + 50 * world.size;
    const watcher = known ?? world.add({ x, y: 50, range: 20 });
    bodies.set(credential, watcher);
    return { watcher, data: credential };
  },
  onLeave({ data, watcher }) {
    bodies.delete(data as string);
    if (watcher !== 0) world.remove(watcher);
  },
});
// The loopback's addresses stand for two of the internet: those of private networks have fewer limits.
const transport = new WebSocketTransport({
  port: 0,
  host: '127.0.0.1',
  addressOf: ({ socket: { remoteAddress } }) =>
    remoteAddress === '127.0.0.1' ? '198.51.100.1' : '203.0.113.1',
});
await gateway.listen(transport);

let ticks = 0;
/**
 * What was worked from tick to tick, in milliseconds of a processor: by the thread that ticks, and by all. The others collect garbage
 * beside it, and what they do is no tick's delay.
 */
let work: number[] = [];
let allWork: number[] = [];
let [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
setInterval(() => {
  ticks++;
  const [ownSpent, allSpent] = [process.threadCpuUsage(own), process.cpuUsage(all)];
  [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
  work.push((ownSpent.user + ownSpent.system) / 1000);
  allWork.push((allSpent.user + allSpent.system) / 1000);
  for (const [i, id] of crowd.entries()) world.move(id, (i * 37 + ticks) % WIDTH, (i * 61) % WIDTH);
  gateway.publish(world.tick());
}, TICK_MS);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are held, after collecting garbage. */
function heldBytes(): number {
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on('message', () => {
  const told = { workMs: work, allWorkMs: allWork };
  process.send?.({ heldBytes: heldBytes(), ...told });
  // The collection was not the attack's.
  [work, allWork] = [[], []];
  [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
});
process.on('disconnect', () => process.exit());
process.send?.({ port: transport.port });
