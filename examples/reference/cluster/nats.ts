// Example of: natsLog, NatsLog, NatsLogOptions, NatsOptions, natsCheckpoints, NatsCheckpoints, NatsCheckpointsOptions
import {
  joinWorld,
  type NatsCheckpoints,
  type NatsCheckpointsOptions,
  type NatsLog,
  type NatsLogOptions,
  type NatsOptions,
  natsCheckpoints,
  natsLog,
} from '@umwelt/cluster';

// Port 1 has no broker: yours is 'nats://broker:4222', or all addresses of a cluster of brokers.
const broker: NatsOptions = { servers: 'nats://127.0.0.1:1', world: 'prime', connectMs: 200 };
const forLog: NatsLogOptions = { ...broker, maxAgeMs: 600_000 };
const forStates: NatsCheckpointsOptions = { ...broker, keep: 2 };

try {
  const log: NatsLog = await natsLog(forLog);
  const checkpoints: NatsCheckpoints = await natsCheckpoints(forStates);
  const node = await joinWorld({ log, checkpoints });
  await node.add({ x: 0, y: 0, range: 30 });
} catch (error) {
  console.log((error as { code?: string }).code); // LOG_DOWN
}
