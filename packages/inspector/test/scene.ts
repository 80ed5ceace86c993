/**
 * A world of three, its inspector, and pages without a page that look at it; all closed after each test.
 */
import { World } from 'umwelt';
import { onTestFinished } from 'vitest';
import { type Inspector, type InspectorOptions, startInspector } from '../src/index.ts';
import { FeedClient } from './feed-client.ts';

interface Scene {
  world: World;
  /** Watcher, a marker it perceives, one it does not. */
  ids: [number, number, number];
  commands: string[];
  options: InspectorOptions;
}

export function createScene(): Scene {
  const world = new World();
  const ids = [0, 1, 50].map((x) => world.add({ x, y: 0, range: x === 0 ? 10 : 0 })) as [
    number,
    number,
    number,
  ];
  const commands: string[] = [];
  const options: InspectorOptions = {
    world,
    title: 'Three on a line',
    kinds: ['watcher', 'marker'],
    kindOf: (id) => (id === ids[0] ? 0 : 1),
    rangeOf: (id) => (id === ids[0] ? 10 : 0),
    tickSeconds: 0.05,
    bounds: { minX: 0, minY: -10, maxX: 100, maxY: 10 },
    commands: {
      play: () => commands.push('play'),
      pause: () => commands.push('pause'),
      step: () => commands.push('step'),
      setSpeed: (factor) => commands.push(`speed ${factor}`),
    },
    port: 0,
  };
  return { world, ids, commands, options };
}

export const status = { tickMs: 1.5, paused: false, speed: 1 };

export async function start(options: InspectorOptions): Promise<Inspector> {
  const inspector = await startInspector(options);
  onTestFinished(() => inspector.close());
  return inspector;
}

export function look(inspector: Inspector, headers: Record<string, string> = {}): FeedClient {
  const client = new FeedClient(inspector.url, headers);
  onTestFinished(() => client.socket.terminate());
  return client;
}
