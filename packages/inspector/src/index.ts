/** The public names of `@umwelt/inspector`, and nothing else. */
export type { SenseRange } from './feed-frame.ts';
export type { Bounds, RecordingSpan } from './feed-message.ts';
export { type Inspector, type InspectorStatus, startInspector } from './server/inspector.ts';
export type { InspectorCommands, InspectorOptions } from './server/inspector-options.ts';
