/** The public names of `umwelt`, with only the default detector: the entry for browsers. See docs/bundling.md. */
export { Changes, type ReportColumns, type View } from './changes.ts';
export type { ChannelOptions, ChooseFunction } from './channels/channel-options.ts';
export { Channels } from './channels.ts';
export type { Bounds, Rectangle } from './detectors/bounds.ts';
export { createCrossList } from './detectors/cross-list.ts';
export type { Crossings } from './detectors/crossings.ts';
export type {
  Detector,
  DetectorFactory,
  DetectorName,
  PlaceVisitor,
  SlotVisitor,
} from './detectors/detector.ts';
export type { Population } from './detectors/population.ts';
export { detectorNames } from './detectors/registry.ts';
export { StructureSketch } from './detectors/structure-sketch.ts';
export type { AttachmentOffset } from './entities/attachments.ts';
export type { PositionColumns } from './entities/bulk.ts';
export type { EntityId } from './entities/entity-ids.ts';
export type { EntityInit, EntityPatch } from './entities/entity-init.ts';
export type { EntityStore } from './entities/entity-store.ts';
export type { MoveManyOptions, MoveOptions } from './entities/move-options.ts';
export type { CountOptions, UpdateColumns, ValueColumns } from './entities/update-columns.ts';
export { UmweltError, type UmweltErrorCode, type UmweltErrorDetails } from './errors.ts';
export type { ShownGroups } from './interest/rules/group-terms.ts';
export type { AdmitFunction, Interest, RankFunction } from './interest/rules/interest.ts';
export type { PinOptions } from './interest/rules/pin-reasons.ts';
export type { KernelChoice } from './kernels/heap.ts';
export type { EventListener, ListenerOptions, WatchEvent, WatchListener, WorldEvent } from './listeners.ts';
export type { WorldOptions } from './options.ts';
export type { MarkerConditions } from './queries/conditions.ts';
export type { DescribeOptions } from './queries/describe.ts';
export type { Explanation, ExplanationRule } from './queries/explain.ts';
export type { Outranked } from './queries/outranked.ts';
export type { NearestOptions, QueryOptions } from './queries/query.ts';
export type { Shape } from './queries/shape.ts';
export type { Place } from './queries/watchers-at.ts';
export type { WatcherRows } from './queries/watchers-of.ts';
export { RecordedWorld } from './recording/recorded-world.ts';
export type { RecordingSink, RecordOptions } from './recording/recorder.ts';
export { Replay, type ReplayedTick, type ReplayOptions } from './recording/replay.ts';
export type { ReportKind } from './reports/report.ts';
export type { RangeShape } from './settings.ts';
export type { RestoreOptions } from './snapshot/restore-options.ts';
export type { SnapshotOptions } from './snapshot/snapshot-options.ts';
export type { WorldStats } from './stats.ts';
export { type EntitiesInit, World } from './world.ts';
export { WorldReader } from './world-reader.ts';
