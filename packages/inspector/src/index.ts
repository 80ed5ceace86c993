/** The public names of `@umwelt/inspector`, and nothing else. */

export type { InspectorStatus } from './feed/feed-host.ts';
export type { FeedOptions, InspectorCommands } from './feed/feed-options.ts';
export type { Bounds, RecordingSpan } from './feed-message.ts';
export type { SenseRange } from './focus-frame.ts';
export { type InspectOptions, inspect } from './server/inspect.ts';
export { type Inspector, startInspector } from './server/inspector.ts';
export type { InspectorOptions } from './server/inspector-options.ts';
export type { SharedWorld } from './server/shared-world.ts';
