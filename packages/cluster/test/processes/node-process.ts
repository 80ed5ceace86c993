/**
 * A node in a process of its own, on a real broker: `node node-process.ts SETTINGS`, where SETTINGS is JSON.
 *
 * It plays the simulation's game, or one with real clients (hosted-node.ts), and says over its channel what it reports at
 * each tick. It ends with the process that started it.
 */
import { joinWorld, natsLog } from '../../src/index.ts';
import { participantOf } from '../../src/node/cluster-node.ts';
import { HostedNode } from '../gateway/hosted-node.ts';
import { channelOptions, Game, worldOptions } from '../simulation/game.ts';
import type { Plan } from '../simulation/plan.ts';
import { SILENCE_TICKS, TICK_MS } from '../simulation/process.ts';
import { type NodeReport, reportOf } from '../simulation/report.ts';

export interface NodeSettings {
  readonly servers: readonly string[];
  readonly world: string;
  readonly name: string;
  readonly number: number;
  readonly plan: Plan;
  /** No other process has nonces from here on up to 2^20 more. */
  readonly firstNonce: number;
  readonly lives: number;
  /** A gateway for clients, and what they play. */
  readonly hosts?: { readonly wolves: number; readonly field: number };
}

/** How a node is, when it is asked. */
export interface NodeStanding {
  readonly phase: string;
  readonly tick: number;
  readonly position: number;
  readonly lagMs: number;
  readonly entities: number;
}

export type NodeMessage =
  /** `port`: of its gateway, 0 where it has none. */
  | { readonly kind: 'joined'; readonly port: number }
  | { readonly kind: 'report'; readonly report: NodeReport }
  | { readonly kind: 'standing'; readonly standing: NodeStanding }
  | { readonly kind: 'failed'; readonly reason: string };

const settings: NodeSettings = JSON.parse(process.argv[2] ?? '');
const { servers, world, name, number, plan, firstNonce, lives, hosts } = settings;
const tell = (message: NodeMessage) => process.send?.(message);
process.once('disconnect', () => process.exit());

// As the twin has them.
const channels = channelOptions(plan);
const detectors = ['sweep', 'brute-force', 'quadtree', 'nine-grid'] as const;
const log = await natsLog({ servers, world, maxBytes: 2 ** 30, maxAgeMs: 2 ** 31, connectMs: 60_000 });
const node = await joinWorld({
  log,
  name,
  world: { ...worldOptions(plan), detector: detectors[number % detectors.length]! },
  ...(channels && { channels }),
  views: plan.views,
  tickMs: TICK_MS,
  silenceTicks: SILENCE_TICKS,
  adopts: number % 5 !== 4,
  patienceMs: 2 ** 31 - 1,
});
const seed = plan.seed + 7919 * lives;
let port = 0;
let nonce = firstNonce;
if (hosts === undefined) {
  const expected = { sent: new Map(), made: new Map(), now: () => 0, after: () => {} };
  new Game(node, { ...plan, seed }, number, expected, () => ++nonce, number);
} else {
  const hosted = await HostedNode.on(node, { seed, tickMs: TICK_MS, ...hosts });
  port = hosted.transport.port;
}
node.on('tick', () => tell({ kind: 'report', report: reportOf({ name, participant: participantOf(node) }) }));
node.on('failed', ({ message }) => tell({ kind: 'failed', reason: message }));
process.on('message', () => {
  const { phase, replica } = participantOf(node);
  const { tick, position } = replica;
  const standing = { phase, tick, position, lagMs: node.lagMs, entities: replica.world.size };
  tell({ kind: 'standing', standing });
});
tell({ kind: 'joined', port });
