/** The public names of `@umwelt/cluster`, and nothing else. */
export type { Checkpoints, NatsCheckpoints, NewestOptions } from './checkpoints/checkpoints.ts';
export { type FolderCheckpointsOptions, folderCheckpoints } from './checkpoints/folder-checkpoints.ts';
export {
  type NatsCheckpointsOptions,
  natsCheckpoints,
} from './checkpoints/nats-checkpoints.ts';
export type { Log, QuestionCounts } from './log/log.ts';
export { type MemoryLogOptions, memoryLog } from './log/memory-log.ts';
export { type NatsLogOptions, natsLog } from './log/nats-log.ts';
export type { NatsLog, NatsOptions } from './log/nats-options.ts';
export type { ClusterMember } from './node/cluster-member.ts';
export type { ClusterNode } from './node/cluster-node.ts';
export type { ViewGateway } from './node/gateway-link.ts';
export type { JoinOptions } from './node/join-options.ts';
export { joinWorld } from './node/join-world.ts';
export type { GainReason, LoseReason, NodeEvent, NodeEvents } from './node/listeners.ts';
export { type NodeHealth, NodeMetrics } from './node/node-metrics.ts';
export { type ObserveOptions, observeWorld, type WorldObserver } from './node/observe-world.ts';
export { Territories, type TerritoriesOptions } from './node/territories.ts';
export type { NodeEntities, NodeEntity, WorldCalls } from './node/world-calls.ts';
export type { Fields, FieldValue } from './records/calls.ts';
export {
  type ClusterStatus,
  type ClusterStatusOptions,
  clusterStatus,
  type MemberStatus,
} from './status/cluster-status.ts';
export type { MemberStanding, WorldStanding } from './status/world-standing.ts';
