/** The public names of `@umwelt/inspector`, and nothing else. */

export type { Bounds, RecordingSpan } from './feed-message.ts';
export type { SenseRange } from './focus-frame.ts';
export { type Inspector, type InspectorStatus, startInspector } from './server/inspector.ts';
export type { InspectorCommands, InspectorOptions } from './server/inspector-options.ts';
