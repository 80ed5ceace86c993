/** The public names of `@umwelt/cluster`, and nothing else. */
export type { Log } from './log/log.ts';
export { type MemoryLogOptions, memoryLog } from './log/memory-log.ts';
export { type NatsLogOptions, natsLog } from './log/nats-log.ts';
export type { NatsLog, NatsOptions } from './log/nats-options.ts';
