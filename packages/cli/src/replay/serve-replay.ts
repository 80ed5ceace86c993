/**
 * A recording on a page: `umwelt replay FILE --serve`. The inspector shows its world like a live one, with a time line under
 * it; pages play and seek.
 *
 * It is paused until the user presses play. At its end it stops; play then starts again from the first tick.
 */
import { type Inspector, type InspectorOptions, startInspector } from '@umwelt/inspector';
import type { DetectorName, EntityId, Replay } from 'umwelt';
import { detectorsFor } from '../commands/play.ts';
import { Figures } from '../figures.ts';
import { fullCount } from '../numbers.ts';
import { addressLines, type PagePlan } from '../page-access.ts';
import { Playback } from '../playback.ts';
import { type Status, StatusLine } from '../status-line.ts';
import type { Terminal } from '../terminal.ts';
import { ChurnSurvey } from './churn-survey.ts';
import { boundsNow, readKinds, readScene, type Scene } from './recorded-scene.ts';
import { ReplayPlayer } from './replay-player.ts';

export interface ServeReplayOptions {
  /** For a recording without a title. */
  readonly title: string;
  /** The tick to start at; default: the first one with a report. */
  readonly at: number | undefined;
  /** Ticks per second at speed 1; default: as recorded. */
  readonly rate: number | undefined;
  readonly detector: DetectorName | undefined;
  readonly page: PagePlan;
}

/** Ticks per second for a recording without that information. */
const RATE_DEFAULT = 20;

/** Runs until it is stopped. `replay`: at its first tick. */
export async function serveReplay(
  replay: Replay,
  options: ServeReplayOptions,
  terminal: Terminal,
): Promise<void> {
  const served = new ServedReplay(replay, options, terminal);
  await served.run();
}

class ServedReplay {
  readonly #options: ServeReplayOptions;
  readonly #terminal: Terminal;
  readonly #scene: Scene;
  readonly #kinds: ReadonlyMap<number, number>;
  readonly #player: ReplayPlayer;
  readonly #playback: Playback;
  readonly #statusLine: StatusLine;
  readonly #figures = new Figures();
  readonly #fault = Promise.withResolvers<never>();
  #inspector: Inspector | undefined;

  constructor(replay: Replay, options: ServeReplayOptions, terminal: Terminal) {
    const { clock, output } = terminal;
    this.#options = options;
    this.#terminal = terminal;
    replay.seek(Math.min(replay.firstTick + 1, replay.lastTick));
    const tickSeconds = options.rate === undefined ? undefined : 1 / options.rate;
    this.#scene = sceneOf(replay, options.title, tickSeconds);
    this.#kinds = readKinds(replay);
    this.#player = new ReplayPlayer(replay, options.detector, clock, {
      onTick: (tick, changes) => this.#inspector?.noteChurn(tick, changes.enteredCount + changes.leftCount),
      onShow: () => this.#show(),
      onSeek: (tick, progress) => this.#inspector?.tellSeek(tick, progress),
      onDifference: ({ tick, recorded, found }) =>
        this.#statusLine.print(`tick ${fullCount(tick)} differs: hash ${found}, recorded ${recorded}`),
      onFault: (error) => this.#fault.reject(error),
    });
    this.#playback = new Playback({
      clock,
      periodMs: this.#scene.tickSeconds * 1000,
      speed: 1,
      tick: () => this.#tick(),
    });
    this.#playback.pause();
    this.#statusLine = new StatusLine(output, clock, () => this.#status());
  }

  async run(): Promise<void> {
    const { stop, clock } = this.#terminal;
    const inspector = await startInspector(this.#inspectorOptions());
    this.#inspector = inspector;
    this.#show();
    const { at, detector } = this.#options;
    if (at !== undefined) this.#player.seek(at);
    const survey = new ChurnSurvey(this.#player.shown, {
      clock,
      detector,
      occasion: () =>
        inspector.clientCount === 0 || this.#player.isSeeking
          ? undefined
          : { resting: this.#playback.paused, near: this.#player.shown.tick },
      onTick: (tick, changes) => inspector.noteChurn(tick, changes.enteredCount + changes.leftCount),
    });
    const onStop = () => this.#playback.stop();
    stop.addEventListener('abort', onStop);
    try {
      const { firstTick, lastTick } = this.#player.shown;
      this.#statusLine.print(
        `${this.#scene.title}, recorded: ticks ${fullCount(firstTick)} to ${fullCount(lastTick)}`,
      );
      for (const line of addressLines(inspector.urls)) this.#statusLine.print(line);
      this.#statusLine.start();
      if (stop.aborted) this.#playback.stop();
      await Promise.race([this.#playback.run(), this.#fault.promise]);
    } finally {
      stop.removeEventListener('abort', onStop);
      survey.stop();
      this.#player.stop();
      this.#playback.stop();
      this.#statusLine.stop();
      await inspector.close();
    }
  }

  /** One tick of the playback. It always returns true: at its end the recording is paused. */
  #tick(): boolean {
    if (this.#player.isSeeking) return true;
    this.#player.step();
    if (this.#player.isAtEnd && !this.#playback.paused) {
      this.#playback.pause();
      this.#show();
    }
    return true;
  }

  /** Publishes what is shown now. */
  #show(): void {
    const { world } = this.#player;
    const { tickMs } = world.stats();
    this.#figures.record(world.lastChanges, tickMs, this.#terminal.clock.now());
    this.#inspector?.publish(world.lastChanges, {
      tickMs,
      paused: this.#playback.paused,
      speed: this.#playback.speed,
    });
  }

  #play(): void {
    if (this.#player.isAtEnd && !this.#player.isSeeking) this.#player.seek(this.#player.shown.firstTick);
    this.#playback.play();
  }

  #inspectorOptions(): InspectorOptions {
    const player = this.#player;
    const { title, kinds, tickSeconds, bounds } = this.#scene;
    const { firstTick, lastTick, isComplete, worldOptions } = player.shown;
    const { senses = ['sight'], rangeShape = 'circle', rangeRatio = [1, 1] } = worldOptions;
    return {
      get world() {
        return player.world;
      },
      title,
      kinds,
      bounds,
      tickSeconds,
      rangeShape,
      rangeRatio,
      kindOf: (id) => this.#kindOf(id),
      rangesOf: (id) => player.shown.rangesOf(id).map((range, i) => ({ sense: senses[i] as string, range })),
      detectors: detectorsFor(player.world.size),
      recording: { firstTick, lastTick, isComplete },
      commands: {
        play: () => this.#play(),
        pause: () => this.#playback.pause(),
        step: () => this.#playback.step(),
        seek: (tick) => player.seek(tick),
        setSpeed: (factor) => this.#playback.setSpeed(factor),
        setDetector: (name) => player.setDetector(name as DetectorName),
      },
      ...this.#options.page,
    };
  }

  /** As noted, else by whether it is a watcher. */
  #kindOf(id: EntityId): number {
    if (this.#kinds.size > 0) return this.#kinds.get(id) ?? 0;
    return this.#player.shown.rangesOf(id).some((range) => range > 0) ? 0 : 1;
  }

  #status(): Status {
    const { world, shown } = this.#player;
    const now = this.#terminal.clock.now();
    const { entities, relationCount, detector, tick } = world.stats();
    const pace = this.#player.isSeeking ? ', seeking' : this.#playback.paused ? ', paused' : '';
    return {
      state: `tick ${fullCount(tick)} of ${fullCount(shown.lastTick)}${pace}`,
      entities,
      relations: relationCount,
      detector,
      eventsPerSecond: this.#figures.eventsPerSecond(now),
      tickMsMedian: this.#figures.tickMs.at(0.5),
      tickMsP99: this.#figures.tickMs.at(0.99),
      ticksBehind: this.#playback.ticksBehind,
      ticksPerSecond: this.#figures.ticksPerSecond(now),
    };
  }
}

function sceneOf(replay: Replay, title: string, tickSeconds: number | undefined): Scene {
  const noted = readScene(replay) ?? {
    title,
    kinds: ['watcher', 'marker'],
    tickSeconds: 1 / RATE_DEFAULT,
    bounds: boundsNow(replay),
  };
  return tickSeconds === undefined ? noted : { ...noted, tickSeconds };
}
