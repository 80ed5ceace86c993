/** The public names of `@umwelt/client`, and nothing else. */
export { AppearanceError, type AppearanceShape, type FieldShape, type FieldsOf } from './appearance.ts';
export { FrameError } from './byte-cursor.ts';
export { type ClientEvents, type ClientOptions, type ClientState, UmweltClient } from './client.ts';
export type { Entity, EntityChanges, LeaveReason, MirrorEvents } from './mirror.ts';
export { type ClientSocket, type OpenSocket, openWebSocket, type SocketEvents } from './socket.ts';
export type { Field, FieldType, FieldValue, Welcome } from './welcome.ts';
