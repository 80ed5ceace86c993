/** The public names of `@umwelt/gateway`, and nothing else. */
export type { BandDeclaration } from './appearance/bands.ts';
export type { GatewayWorld } from './appearance/gateway-world.ts';
export type {
  AppearanceOptions,
  Audience,
  FieldDeclaration,
  FieldType,
  FieldValue,
  ValuesOf,
} from './appearance/schema.ts';
export { Gateway } from './gateway.ts';
export type { DrainOptions } from './sessions/drain-options.ts';
export type { Clock, GatewayOptions, JoinRequest } from './sessions/gateway-options.ts';
export type { GatewayLimits } from './sessions/limits.ts';
export type { Admission, LeaveReason, Session } from './sessions/session.ts';
export type { MetricReading, PublishReport } from './telemetry/publish-report.ts';
export type { DoorLimits } from './transports/door-limits.ts';
export { InProcessTransport } from './transports/in-process.ts';
export type {
  Connection,
  ConnectionEvents,
  ConnectionRequest,
  GatewayStatus,
  RefusalFacts,
  RefusalReason,
  Transport,
  TransportHost,
} from './transports/transport.ts';
export { WebSocketTransport } from './transports/web-socket.ts';
export type { WebSocketTransportOptions } from './transports/web-socket-options.ts';
