/**
 * Distributes what comes over the feed: positions to the crowd, figures to the charts, data of the selected entity to its card
 * and its flashes.
 *
 * A page may draw between any two messages. So population and focus frames wait for the tick frame that they belong to, and are
 * applied with it: relations are never drawn over positions of another tick.
 *
 * Figures on the page are updated six times per second, and at once while the world is paused: then each tick is a single step
 * of the user.
 */
import { type FeedFrame, IS_WATCHED, type TickFrame } from '../feed-frame.ts';
import type { Greeting } from '../feed-message.ts';
import type { FocusFrame } from '../focus-frame.ts';
import type { PopulationChangeFrame, PopulationFrame } from '../population-frame.ts';
import type { Camera } from './camera.ts';
import { Crowd } from './crowd.ts';
import { History } from './history.ts';
import { withEvents } from './lately.ts';
import { Playhead } from './playhead.ts';
import type { Store } from './store.ts';
import { Flashes } from './view/flashes.ts';
import { spacingPx } from './view/picture.ts';
import { Trails } from './view/trails.ts';

const FIGURES_MS = 160;
/** Maximum flashes of one frame for the selected entity. */
const FLASHES_MAX = 256;
/** Moves longer than this fraction of the world's extent are jumps. */
const JUMP_FRACTION = 0.02;

export class Intake {
  readonly crowd = new Crowd();
  readonly history = new History();
  readonly flashes = new Flashes();
  readonly trails = new Trails();
  playhead = new Playhead(0.02);
  readonly #store: Store;
  readonly #camera: Camera;
  #figuresMs = 0;
  #figuresTimer: ReturnType<typeof setTimeout> | undefined;
  #leaps: number | undefined;
  /** These wait for the next tick frame. */
  #population: PopulationFrame | PopulationChangeFrame | undefined;
  #ahead: FocusFrame[] = [];

  constructor(store: Store, camera: Camera) {
    this.#store = store;
    this.#camera = camera;
  }

  /** Another feed, or a reconnect: earlier data may belong to another world. */
  begin(greeting: Greeting): void {
    clearTimeout(this.#figuresTimer);
    this.#store.set({ hasTick: false });
    this.crowd.clear();
    this.history.clear();
    this.history.budgetMs = greeting.tickSeconds * 1000;
    this.flashes.clear();
    this.trails.clear();
    this.#leaps = undefined;
    this.#population = undefined;
    this.#ahead = [];
    this.playhead = new Playhead(0.001 / greeting.tickSeconds);
    const { minX, minY, maxX, maxY } = greeting.bounds;
    this.crowd.jumpDistance = JUMP_FRACTION * Math.max(maxX - minX + maxY - minY, 1e-6);
  }

  /** `isPicked` returns whether a focus frame is about the entity that is selected or hovered now. */
  take(frame: FeedFrame, nowMs: number, isPicked: (frame: FocusFrame) => boolean): void {
    if (frame.kind === 'population' || frame.kind === 'population-change') this.#population = frame;
    else if (frame.kind === 'focus' && frame.isAhead) this.#ahead.push(frame);
    else if (frame.kind === 'focus' && isPicked(frame)) this.#takeFocus(frame, nowMs);
    else if (frame.kind === 'tick') {
      if (this.#population !== undefined) this.#takePopulation(this.#population);
      this.#population = undefined;
      this.#takeTick(frame, nowMs);
      for (const focus of this.#ahead.splice(0)) if (isPicked(focus)) this.#takeFocus(focus, nowMs);
    }
  }

  /** The world's pace has changed, or it was paused or continued. */
  setPace(paused: boolean, speed: number): void {
    const { state } = this.#store;
    this.playhead.isPaused = paused;
    if (state.paused === paused && state.speed === speed) return;
    this.playhead.forget();
    this.#store.set({ paused, speed });
  }

  #takePopulation(news: PopulationFrame | PopulationChangeFrame): void {
    const frame = this.crowd.takePopulation(news);
    if (frame === undefined) return;
    const kindCounts: number[] = new Array(this.#store.state.greeting?.kinds.length ?? 0).fill(0);
    let watcherCount = 0;
    for (let i = 0; i < frame.ids.length; i++) {
      const kind = frame.kinds[i] as number;
      kindCounts[kind] = (kindCounts[kind] ?? 0) + 1;
      watcherCount += frame.watchers[i] as number;
    }
    this.#store.set({ kindCounts, watcherCount });
  }

  #takeTick(frame: TickFrame, nowMs: number): void {
    if (!this.crowd.takeTick(frame)) return;
    if (!this.#store.state.hasTick) this.#store.set({ hasTick: true });
    this.setPace(frame.paused, frame.speed);
    if (frame.leaps !== (this.#leaps ?? frame.leaps)) this.#leap(frame.tick);
    this.#leaps = frame.leaps;
    this.playhead.arrive(frame.tick, nowMs);
    this.trails.take(this.crowd, frame.tick);
    this.history.take(frame, this.#store.state.watcherCount);
    const { greeting, paused, selected } = this.#store.state;
    if (greeting !== undefined) {
      const spacing = spacingPx({ crowd: this.crowd, bounds: greeting.bounds, camera: this.#camera });
      const between = this.crowd.between(frame.tick);
      this.flashes.addAmbient(
        frame.events,
        this.crowd,
        between,
        this.#camera,
        spacing,
        selected === undefined ? 1 : 0.35,
        nowMs,
      );
    }
    const waitMs = FIGURES_MS - (nowMs - this.#figuresMs);
    if (waitMs <= 0 || paused) this.#showFigures(frame, nowMs);
    else this.#showFiguresLater(frame, waitMs);
  }

  /** Makes sure that the last of several ticks in quick succession is shown too. */
  #showFiguresLater(frame: TickFrame, waitMs: number): void {
    clearTimeout(this.#figuresTimer);
    this.#figuresTimer = setTimeout(() => this.#showFigures(frame, performance.now()), waitMs);
  }

  #showFigures(frame: TickFrame, nowMs: number): void {
    clearTimeout(this.#figuresTimer);
    this.#figuresMs = nowMs;
    const { greeting, paused, watcherCount } = this.#store.state;
    // A paused recording is viewed tick by tick: show the figures of this tick alone.
    const alone = paused && greeting?.recording !== undefined ? this.history.alone : undefined;
    this.#store.set({
      tick: frame.tick,
      entityCount: frame.events.length,
      relations: frame.relations,
      lingering: frame.lingering,
      waiting: frame.waiting,
      watchedCounts: this.#watchedCounts(frame),
      tickMs: paused ? frame.tickMs : this.history.tickMs,
      ticksOver: this.history.ticksOver,
      ...(alone === undefined || greeting === undefined
        ? { eventsPerSecond: this.history.eventsPerSecond, churn: this.history.churn }
        : {
            eventsPerSecond: alone.events / greeting.tickSeconds,
            churn: alone.changed / Math.max(1, watcherCount),
          }),
    });
  }

  /** By kind. */
  #watchedCounts({ events }: TickFrame): number[] {
    const counts: number[] = new Array(this.#store.state.kindCounts.length).fill(0);
    const { kinds } = this.crowd;
    // The population may have changed since the frame came.
    for (let i = 0; i < Math.min(events.length, kinds.length); i++) {
      const kind = kinds[i] as number;
      if (((events[i] as number) & IS_WATCHED) !== 0) counts[kind] = (counts[kind] ?? 0) + 1;
    }
    return counts;
  }

  /** A jump in a recording: there was no motion in between, and events in between are unknown. */
  #leap(tick: number): void {
    this.crowd.forgetPast();
    this.flashes.clear();
    this.trails.clear();
    this.history.interrupt();
    this.playhead.forget();
    this.playhead.tick = tick;
    this.#store.set({ lately: undefined });
  }

  #takeFocus(frame: FocusFrame, nowMs: number): void {
    const { state } = this.#store;
    const kind = this.crowd.kinds[this.crowd.indexOf(frame.id)];
    if (frame.role === 'hovered') {
      this.#store.set({ hovered: frame.present ? frame : undefined, hoveredKind: kind ?? state.hoveredKind });
      return;
    }
    const { areEnters, ids } = frame.events;
    // Earlier flashes would have faded out already.
    for (let i = Math.max(0, ids.length - FLASHES_MAX); i < ids.length; i++)
      this.#flash(ids[i] as number, areEnters[i] === 1, nowMs);
    const isGone = !frame.present && state.selected?.present !== false;
    const gone =
      state.greeting?.recording === undefined ? 'is no longer there' : 'is not in the world at this tick';
    this.#store.set({
      selected: frame,
      selectedKind: kind ?? state.selectedKind,
      lately: withEvents(state.lately, frame.events),
      ...(isGone ? { announcement: `The selected entity ${gone}.` } : {}),
    });
  }

  #flash(id: number, isEnter: boolean, nowMs: number): void {
    const place = new Float64Array(3);
    const index = this.crowd.indexOf(id);
    // A removed entity is no longer in the crowd, so its position is unknown.
    if (index < 0) return;
    this.crowd.placeInto(index, this.crowd.between(this.playhead.tick), place);
    this.flashes.addOwn(id, isEnter, place[0] as number, place[1] as number, nowMs);
  }
}
