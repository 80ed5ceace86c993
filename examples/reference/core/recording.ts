// Example of: RecordedWorld, Replay, RecordOptions, RecordingSink, ReplayOptions, ReplayedTick
import {
  RecordedWorld,
  type RecordingSink,
  type RecordOptions,
  Replay,
  type ReplayedTick,
  type ReplayOptions,
} from 'umwelt';

const world = new RecordedWorld();
const pieces: Uint8Array[] = [];
const sink: RecordingSink = (bytes) => pieces.push(bytes);
const often: RecordOptions = { snapshotBytes: 4096 };
world.record(sink, often);
const player = world.add({ x: 0, y: 0, range: 20 });
for (let tick = 1; tick <= 10; tick++) {
  world.move(player, tick, 0);
  world.note('wind', Uint8Array.of(tick));
  world.tick();
}
world.stopRecording();

const options: ReplayOptions = { checkpointBytes: 1 << 20 };
const replay = new Replay(new Uint8Array(await new Blob(pieces as BlobPart[]).arrayBuffer()), options);
replay.seek(7);
console.log([...replay.world.position(player)]); // [ 7, 0 ]
const tick: ReplayedTick | undefined = replay.step();
console.log(tick?.tick, tick?.recorded === tick?.found); // 8 true
console.log(replay.lastTick, replay.isComplete, replay.notes('wind').length); // 10 true 10
