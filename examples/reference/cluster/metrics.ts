// Example of: NodeMetrics, NodeHealth
import { joinWorld, memoryLog, type NodeHealth, NodeMetrics } from '@umwelt/cluster';

const node = await joinWorld({ log: memoryLog(), tickMs: 10 });
const metrics = new NodeMetrics(node);

// For /healthz and /metrics of a server of yours.
const health: NodeHealth = metrics.health();
console.log(health.isHealthy, health.problem); // true undefined
console.log((await metrics.registry.metrics()).includes('umwelt_cluster_lag_seconds')); // true
await node.leave();
