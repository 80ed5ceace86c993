/** The public names of `umwelt`, and nothing else. */
export { Changes, type ReportColumns, type View } from './changes.ts';
export type { Crossings } from './detectors/crossings.ts';
export type { Bounds, Detector, DetectorFactory, DetectorName, SlotVisitor } from './detectors/detector.ts';
export { detectorNames } from './detectors/registry.ts';
export type { PositionColumns } from './entities/bulk.ts';
export type { EntityId } from './entities/entity-ids.ts';
export type { EntityInit, EntityPatch } from './entities/entity-init.ts';
export type { EntityStore } from './entities/entity-store.ts';
export { UmweltError, type UmweltErrorCode, type UmweltErrorDetails } from './errors.ts';
export type { KernelChoice } from './kernels/heap.ts';
export type { EventListener, WorldEvent } from './listeners.ts';
export type { WorldOptions } from './options.ts';
export type { NearestOptions, QueryOptions } from './queries/query.ts';
export type { Shape } from './queries/shape.ts';
export type { ReportKind } from './reports/report.ts';
export type { RangeShape } from './settings.ts';
export type { WorldStats } from './stats.ts';
export { type EntitiesInit, World } from './world.ts';
