// Example of: startInspector, InspectorOptions, FeedOptions, InspectorCommands, InspectorStatus, Bounds, SenseRange, RecordingSpan
import {
  type Bounds,
  type FeedOptions,
  type InspectorCommands,
  type InspectorOptions,
  type InspectorStatus,
  type RecordingSpan,
  type SenseRange,
  startInspector,
} from '@umwelt/inspector';
import { World } from 'umwelt';

const world = new World({ senses: ['sight', 'hearing'] });
world.add({ x: 0, y: 0, range: { sight: 40, hearing: 15 } });

// What a page may tell your loop to do. Without commands it has no play and pause.
let paused = false;
let speed = 1;
const commands: InspectorCommands = {
  play: () => (paused = false),
  pause: () => (paused = true),
  step: () => world.tick(),
  setSpeed: (factor) => (speed = factor),
  seek: () => {}, // of a recording: its time line
};
const bounds: Bounds = { minX: -100, minY: -100, maxX: 100, maxY: 100 };
const recording: RecordingSpan = { firstTick: 0, lastTick: 1, isComplete: true };
const shown: FeedOptions = {
  world,
  title: 'Zone 3',
  kinds: ['player', 'monster'],
  kindOf: () => 0,
  rangesOf: (): SenseRange[] => [{ sense: 'sight', range: 40 }],
  tickSeconds: 0.05,
  bounds,
  recording,
  commands,
};
const options: InspectorOptions = { ...shown, port: 0 };
const inspector = await startInspector(options);

// After every tick:
const status: InspectorStatus = { tickMs: world.stats().tickMs, paused, speed };
inspector.publish(world.tick(), status);
console.log(inspector.urls.length > 0, status.speed); // true 1
await inspector.close();
