// Example of: GatewayLimits, GatewayStatus, DrainOptions
import { type DrainOptions, Gateway, type GatewayLimits, type GatewayStatus } from '@umwelt/gateway';
import { World } from 'umwelt';

// 32 kB a second for each client, and at most 50 entities that enter with one frame.
const limits: Partial<GatewayLimits> = { bytesPerSecond: 32_000, entersPerFrame: 50, graceMs: 10_000 };
const gateway = new Gateway(new World(), {
  tickMs: 50,
  appearance: { positionStep: 0.01 },
  authenticate: () => undefined,
  limits,
});
console.log(gateway.limits.bytesPerSecond, gateway.limits.clientsMax); // 32000 4096

const before: GatewayStatus = gateway.status();
console.log(before.ready, before.clients); // true 0

// For a restart without loss: sessions stay, so that a snapshot of them can be restored.
const restart: DrainOptions = { noticeMs: 0, keepSessions: true };
await gateway.drain(restart);
console.log(gateway.status().ready); // false
