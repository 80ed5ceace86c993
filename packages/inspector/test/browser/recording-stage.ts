/**
 * A recorded world with an inspector, sought through as its page asks: the stage of the time line's tests.
 *
 * It seeks at once, or as slowly as a test wants, so that a page can be seen on its way.
 */
import { type DetectorName, detectorNames, RecordedWorld, Replay, type World } from 'umwelt';
import { type Inspector, startInspector } from '../../src/index.ts';
import type { Shown } from './stage.ts';

export const LAST_TICK = 400;

/** The walker whom tests look for goes up and to the right by one unit a tick, and is alone there. */
export const LONELY = 1025;
export const lonelyAt = (tick: number) => ({ x: -200 + tick / 2, y: -150 + tick / 2 });

/** A watcher in the middle, a walker that crosses what it perceives, and twenty that leap about in ticks 100 to 120. */
function recorded(): Uint8Array {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((bytes) => pieces.push(bytes), { snapshotBytes: 1 });
  world.add({ x: 0, y: 0, range: 120 });
  world.add(lonelyAt(0));
  const leapers = Array.from({ length: 20 }, (_, i) => world.add({ x: 250, y: -190 + i * 20 }));
  for (let tick = 1; tick <= LAST_TICK; tick++) {
    const { x, y } = lonelyAt(tick);
    world.move(LONELY, x, y);
    if (tick >= 100 && tick <= 120) {
      for (const [i, id] of leapers.entries()) world.move(id, tick % 2 === 0 ? 40 + i : 250, -190 + i * 20);
    }
    world.tick();
  }
  world.stopRecording();
  return Buffer.concat(pieces);
}

let bytes: Uint8Array | undefined;

export class RecordingStage implements Shown {
  readonly replay: Replay;
  /** Ticks that pages asked for. */
  readonly asked: number[] = [];
  /** While it is, nothing arrives: the last tick asked for waits, half way. */
  isHeld = false;
  #paused = true;
  #waiting: number | undefined;
  #inspector: Inspector | undefined;

  constructor() {
    bytes ??= recorded();
    this.replay = new Replay(bytes);
    this.replay.seek(1);
  }

  get world(): World {
    return this.replay.world;
  }

  get url(): string {
    return this.#inspector?.url ?? '';
  }

  async start(): Promise<void> {
    const { replay } = this;
    this.#inspector = await startInspector({
      get world() {
        return replay.world;
      },
      title: 'A recording',
      kinds: ['watcher', 'walker'],
      kindOf: (id) => (id === 1 ? 0 : 1),
      rangesOf: (id) => replay.rangesOf(id).map((range) => ({ sense: 'sight', range })),
      tickSeconds: 0.05,
      bounds: { minX: -360, minY: -240, maxX: 360, maxY: 240 },
      recording: { firstTick: 0, lastTick: LAST_TICK, isComplete: true },
      detectors: detectorNames,
      port: 0,
      commands: {
        play: () => this.#playToEnd(),
        pause: () => {
          this.#paused = true;
        },
        step: () => this.tick(),
        setSpeed: () => {},
        setDetector: (name) => replay.setDetector(name as DetectorName),
        seek: (tick) => this.#seek(tick),
      },
    });
    this.#publish();
  }

  async stop(): Promise<void> {
    await this.#inspector?.close();
    this.#inspector = undefined;
  }

  tick(): void {
    this.replay.step();
    this.#publish();
  }

  /** What waits arrives. */
  release(): void {
    this.isHeld = false;
    const tick = this.#waiting;
    this.#waiting = undefined;
    if (tick === undefined) return;
    this.replay.seek(tick);
    this.#publish();
    this.#inspector?.tellSeek(tick, 1);
  }

  /** Every tick becomes known. */
  noteAll(): void {
    const other = new Replay(this.replay);
    while (other.step() !== undefined) {
      const { enteredCount, leftCount } = other.world.lastChanges;
      this.#inspector?.noteChurn(other.tick, enteredCount + leftCount);
    }
  }

  #seek(tick: number): void {
    this.asked.push(tick);
    this.#waiting = tick;
    if (this.isHeld) this.#inspector?.tellSeek(tick, 0.5);
    else this.release();
  }

  /** As fast as it goes, and stands still there. */
  #playToEnd(): void {
    this.#paused = false;
    while (this.replay.step() !== undefined) this.#publish();
    this.#paused = true;
    this.#publish();
  }

  #publish(): void {
    this.#inspector?.publish(this.world.lastChanges, { tickMs: 1, paused: this.#paused, speed: 1 });
  }
}
