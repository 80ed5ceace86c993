/** The public names of `@umwelt/inspector`, and nothing else. */
export type { Bounds } from './feed-message.ts';
export {
  type Inspector,
  type InspectorCommands,
  type InspectorOptions,
  type InspectorStatus,
  startInspector,
} from './server/inspector.ts';
