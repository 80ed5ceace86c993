/** What the metrics say of the world: its newest tick, read when they are asked for. */
import { World } from 'umwelt';
import { expect, it } from 'vitest';
import { GatewayStage } from './gateway-stage.ts';

const gauge = (text: string, name: string) =>
  Number(new RegExp(`^umwelt_world_${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);

it('the metrics have the newest tick of the world, beside those of the gateway', async () => {
  const stage = new GatewayStage();
  const ids = stage.world.addMany({ x: [0, 3, 50], y: [0, 4, 0], range: 10 });
  stage.gateway.publish(stage.world.tick());
  stage.world.move(ids[2]!, 51, 0);
  stage.gateway.publish(stage.world.tick());
  const text = await stage.gateway.metrics();
  const { tickMs, detectMs, memoryBytes } = stage.world.stats();
  expect(gauge(text, 'tick_seconds')).toBe(tickMs / 1000);
  expect(gauge(text, 'detect_seconds')).toBe(detectMs / 1000);
  expect(gauge(text, 'memory_bytes')).toBe(memoryBytes);
  expect(['entities', 'moved', 'relations'].map((name) => gauge(text, name))).toEqual([3, 1, 2]);
  expect(text).toMatch(/^umwelt_gateway_clients 0$/m);
  // Names on lines of their own: the two texts are joined as they are.
  expect(text.split('\n').every((line) => line === '' || /^(# |umwelt_)/.test(line))).toBe(true);
  expect((await stage.gateway.readings()).some(({ name }) => name.startsWith('umwelt_world'))).toBe(false);
});

it('the metrics of a gateway whose world is disposed are the gateway alone', async () => {
  const world = new World();
  const stage = new GatewayStage({}, world);
  await world.dispose();
  const text = await stage.gateway.metrics();
  expect(text).toContain('umwelt_gateway_clients');
  expect(text).not.toContain('umwelt_world');
});
