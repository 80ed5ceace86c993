// Example of: PublishReport, MetricReading, GatewayWorld
import { Gateway, type GatewayWorld, type MetricReading, type PublishReport } from '@umwelt/gateway';
import { World } from 'umwelt';

const world = new World();
/** Also the world of a cluster's node, which can be read and not changed. */
const shown: GatewayWorld = world;
const gateway = new Gateway(shown, {
  tickMs: 50,
  appearance: { positionStep: 0.01 },
  authenticate: () => undefined,
});
const slow: number[] = [];
const stop = gateway.observe((report: PublishReport) => {
  if (report.durationMs > 5_000) slow.push(report.tick);
});
gateway.publish(world.tick());
stop();

// As text for Prometheus, and as data.
const readings: readonly MetricReading[] = await gateway.readings();
const clients = readings.find(({ name }) => name === 'umwelt_gateway_clients');
console.log(clients?.kind, slow.length); // gauge 0
console.log((await gateway.metrics()).includes('# TYPE umwelt_gateway_clients gauge')); // true
await gateway.drain();
