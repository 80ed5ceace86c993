/**
 * The page's centre: everything that a person can do, whether by pointer, key or button, and the loop that draws.
 *
 * Drawing follows need: while the world moves, the camera glides or a flash fades, each display frame; else not at
 * all. The pointer's entity is looked up at most once a frame, by a pass over all.
 */
import type { ExplanationNews } from '../explanation-news.ts';
import type { FeedFrame } from '../feed-frame.ts';
import {
  type DescriptionNews,
  type DetectorNews,
  type Greeting,
  type Pace,
  type SeekNews,
  SPEED_MAX,
  SPEED_MIN,
} from '../feed-message.ts';
import type { FocusFrame } from '../focus-frame.ts';
import { Camera } from './camera.ts';
import { Comparison } from './comparison.ts';
import { Connection, type ConnectionListener, type ConnectionState } from './connection.ts';
import { Description } from './description.ts';
import { DetectorControl } from './detector-control.ts';
import { whole } from './figures.ts';
import { Intake } from './intake.ts';
import { PALETTES, type Theme } from './palette.ts';
import type { Store } from './store.ts';
import { TimeLine } from './time-line.ts';
import { Picture, pixelRatio, pointSize, spacingPx } from './view/picture.ts';
import { StructureLabels } from './view/structure-labels.ts';
import { firstWatcher, nextIndex } from './walk.ts';

/** How near the pointer must be to an entity's disc, in CSS pixels. */
const REACH_PX = 8;
const REACH_TOUCH_PX = 18;
const ANNOUNCE_MS = 20_000;
export const THEME_KEY = 'umwelt-theme';

export class Explorer implements ConnectionListener {
  readonly store: Store;
  readonly camera = new Camera();
  readonly intake: Intake;
  readonly detectorControl: DetectorControl;
  readonly timeLine: TimeLine;
  readonly description: Description;
  readonly #comparison: Comparison;
  /** Called after each drawn frame, for elements that follow the picture. */
  readonly afterDraw = new Set<() => void>();
  readonly #connection: Connection;
  #picture: Picture | undefined;
  #labels: StructureLabels | undefined;
  #canvas: HTMLCanvasElement | undefined;
  #isScheduled = false;
  #lastFrameMs = 0;
  #isConfirmationDue = false;
  #pointer: { x: number; y: number } | undefined;
  #hoverId = 0;
  #selectId = 0;
  /** The selected, while it is to be gone to as soon as the feed has told how far it perceives; 0: nobody. */
  #goingTo = 0;
  #announcedMs = 0;
  /** What was asked for and not yet answered: the next key press builds on it, not on what is still shown. */
  #wanted: { paused?: boolean; speed?: number } = {};

  /** `address`: the feed's, a ws: or wss: URL. */
  constructor(store: Store, address: string) {
    this.store = store;
    this.intake = new Intake(store, this.camera);
    this.#connection = new Connection(address, this);
    this.#comparison = new Comparison(store, this.intake, (message) => this.#connection.send(message));
    this.detectorControl = new DetectorControl(store, this.camera, (message) =>
      this.#connection.send(message),
    );
    this.timeLine = new TimeLine(store, (message) => this.#connection.send(message));
    this.description = new Description(store, (message) => this.#connection.send(message));
    this.camera.isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#connection.open();
    // A hidden page draws nothing, and must still tell the feed that it takes in what comes.
    setInterval(() => this.#confirm(), 500);
  }

  /** Gives it the canvas to draw the world on, and the one for labels over it, once. */
  attach(canvas: HTMLCanvasElement, labels: HTMLCanvasElement): void {
    this.#canvas = canvas;
    this.#labels = new StructureLabels(labels);
    try {
      this.#picture = new Picture(canvas);
    } catch (error) {
      this.store.set({ graphicsFault: error instanceof Error ? error.message : String(error) });
    }
    canvas.addEventListener('webglcontextrestored', () => this.redraw());
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  // What the feed says

  onState(connection: ConnectionState): void {
    if (connection === this.store.state.connection) return;
    const words = {
      connecting: '',
      live: '',
      lost: 'Connection lost.',
      foreign: 'The page is of another version.',
      locked: 'The page is not let in.',
    };
    this.store.set({ connection, announcement: words[connection] });
  }

  onGreeting(greeting: Greeting): void {
    const before = this.store.state.greeting;
    this.#wanted = {};
    const isSame = JSON.stringify(before) === JSON.stringify(greeting);
    document.title = `${greeting.title} · umwelt`;
    this.intake.begin(greeting);
    this.detectorControl.begin();
    this.timeLine.begin();
    this.store.set({
      greeting,
      isByHeight: greeting.bounds.minZ !== undefined,
      announcement: `Connected: ${greeting.title}.`,
    });
    if (!isSame) this.camera.fit(greeting.bounds, true);
    // Ids mean nothing to a world that has begun anew; the feed's answer will tell whether this one is there.
    if (this.#selectId !== 0) this.#connection.send({ type: 'select', id: this.#selectId });
    this.#comparison.resume();
    this.description.resume();
    this.redraw();
  }

  onPace({ paused, speed }: Pace): void {
    if (this.#wanted.paused === paused) delete this.#wanted.paused;
    if (this.#wanted.speed === speed) delete this.#wanted.speed;
    this.intake.setPace(paused, speed);
    this.redraw();
  }

  onDetector(news: DetectorNews): void {
    this.detectorControl.takeNews(news);
    this.redraw();
  }

  onSeek(news: SeekNews): void {
    this.timeLine.takeNews(news);
    this.redraw();
  }

  onExplanation(news: ExplanationNews): void {
    this.#comparison.take(news, this.#selectId);
  }

  onDescription(news: DescriptionNews): void {
    this.description.take(news);
  }

  onFrame(frame: FeedFrame): void {
    const nowMs = performance.now();
    if (frame.kind === 'tick') this.timeLine.arrive(frame.tick);
    if (frame.kind === 'structure') this.detectorControl.takeFrame(frame);
    else if (frame.kind === 'churn') this.timeLine.takeStrip(frame);
    else this.intake.take(frame, nowMs, (focus) => this.#isPicked(focus));
    if (this.#goingTo !== 0) this.#goTo();
    if (frame.kind === 'structure' || frame.kind === 'tick') this.#isConfirmationDue = true;
    if (frame.kind === 'tick') this.#announce(nowMs);
    this.redraw();
  }

  // What a person can do

  togglePlay(): void {
    const paused = !(this.#wanted.paused ?? this.store.state.paused);
    this.#wanted.paused = paused;
    this.#connection.send({ type: paused ? 'pause' : 'play' });
    this.store.set({ announcement: paused ? 'Paused.' : 'Playing.' });
  }

  /** Pauses first, if need be. */
  step(): void {
    if (!(this.#wanted.paused ?? this.store.state.paused)) this.togglePlay();
    // Where a tick is on its way, one on means the one after that.
    if (this.store.state.seek !== undefined) this.timeLine.step(1);
    else this.#connection.send({ type: 'step' });
  }

  /** In a recording: pauses first, if need be. */
  stepBack(): void {
    if (this.timeLine.span === undefined) return;
    if (!(this.#wanted.paused ?? this.store.state.paused)) this.togglePlay();
    this.timeLine.step(-1);
    this.redraw();
  }

  /** Doubles (1) or halves (-1) the pace. */
  changeSpeed(direction: 1 | -1): void {
    const speed = (this.#wanted.speed ?? this.store.state.speed) * 2 ** direction;
    const factor = Math.min(SPEED_MAX, Math.max(SPEED_MIN, speed));
    this.#wanted.speed = factor;
    this.#connection.send({ type: 'speed', factor });
    this.store.set({ announcement: `Speed ${factor}.` });
  }

  fit(): void {
    const { greeting } = this.store.state;
    this.store.set({ isFollowing: false });
    if (greeting !== undefined) this.camera.fit(greeting.bounds);
    this.redraw();
  }

  zoomBy(factor: number, x?: number, y?: number, atOnce = false): void {
    // While following, the followed stays in the middle.
    if (this.store.state.isFollowing) this.camera.zoomBy(factor, undefined, undefined, atOnce);
    else this.camera.zoomBy(factor, x, y, atOnce);
    this.redraw();
  }

  glideBy(dx: number, dy: number): void {
    this.store.set({ isFollowing: false });
    this.camera.glideBy(dx, dy);
    this.redraw();
  }

  dragBy(dx: number, dy: number): void {
    if (this.store.state.isFollowing) this.store.set({ isFollowing: false });
    this.camera.dragBy(dx, dy);
    this.redraw();
  }

  /** 0 clears. */
  select(id: number, isToBeSeen = false): void {
    this.#selectId = id;
    this.#goingTo = 0;
    this.#connection.send({ type: 'select', id });
    this.#comparison.forget();
    this.description.select(id);
    this.intake.flashes.clear();
    const { state } = this.store;
    this.store.set({
      selected: undefined,
      lately: undefined,
      isFollowing: id !== 0 && state.isFollowing,
      isPickingOther: false,
      announcement: id === 0 ? 'Nothing selected.' : `Selected entity ${id}.`,
    });
    const place = isToBeSeen ? this.screenOf(id) : undefined;
    if (place !== undefined) this.camera.bringIntoSight(place.x, place.y);
    this.redraw();
  }

  /** Or holds it against the selected, where the next one picked is to be. */
  selectAt(x: number, y: number, isTouch: boolean): void {
    if (this.store.state.isPickingOther) {
      this.explainAt(x, y, isTouch);
      return;
    }
    const index = this.#indexAt(x, y, isTouch ? REACH_TOUCH_PX : REACH_PX);
    this.select(index < 0 ? 0 : (this.intake.crowd.ids[index] as number));
  }

  /** Holds one against the selected: why are they related, or not? With nobody selected it is selected itself; 0: none. */
  explain(id: number): void {
    this.store.set({ isPickingOther: false });
    if (this.#selectId === 0 && id !== 0) this.select(id);
    else this.#comparison.pick(id === this.#selectId ? 0 : id);
    this.redraw();
  }

  /** Nobody there: nothing changes. */
  explainAt(x: number, y: number, isTouch: boolean): void {
    const index = this.#indexAt(x, y, isTouch ? REACH_TOUCH_PX : REACH_PX);
    if (index >= 0) this.explain(this.intake.crowd.ids[index] as number);
  }

  /** The next one picked in the world is to be held against the selected, or no longer. */
  togglePickingOther(): void {
    const isPickingOther = !this.store.state.isPickingOther && this.#selectId !== 0;
    this.store.set({ isPickingOther });
  }

  /** The one under the pointer, else the next by distance from the selected. */
  explainNext(): void {
    if (this.#hoverId !== 0 && this.#hoverId !== this.#selectId) this.explain(this.#hoverId);
    else this.#comparison.pickNext(this.#selectId);
    this.redraw();
  }

  /** First what was begun with the selected, then the one held against it, then the selected. */
  letGo(): void {
    if (this.store.state.isPickingOther) this.togglePickingOther();
    else if (this.store.state.comparedId !== 0) this.explain(0);
    else this.select(0);
  }

  /** Undefined when the pointer has gone. */
  pointAt(pointer: { x: number; y: number } | undefined): void {
    this.#pointer = pointer;
    this.redraw();
  }

  /** The next or the previous by id, around: of watchers, and goes there, or of all. With nobody selected, see `walk.ts`. */
  selectNext(direction: 1 | -1, isWatchersOnly: boolean): void {
    const { crowd, playhead } = this.intake;
    const { originX, originY } = this.camera;
    const selected = crowd.indexOf(this.#selectId);
    const index =
      selected < 0 && isWatchersOnly
        ? firstWatcher(crowd, playhead.tick, this.camera.worldX(originX), this.camera.worldY(originY))
        : nextIndex(crowd, selected, direction, isWatchersOnly);
    if (index < 0) return;
    this.select(crowd.ids[index] as number, !isWatchersOnly);
    if (isWatchersOnly) this.#goingTo = this.#selectId;
  }

  get hasSelection(): boolean {
    return this.#selectId !== 0;
  }

  toggleFollowing(): void {
    this.store.set({ isFollowing: !this.store.state.isFollowing && this.#selectId !== 0 });
    this.redraw();
  }

  toggleTheme(): void {
    const theme: Theme = this.store.state.theme === 'dark' ? 'light' : 'dark';
    localStorage.setItem(THEME_KEY, theme);
    this.store.set({ theme });
    this.redraw();
  }

  toggleHeights(): void {
    if (this.store.state.greeting?.bounds.minZ === undefined) return;
    this.store.set({ isByHeight: !this.store.state.isByHeight });
    this.redraw();
  }

  toggleStructure(): void {
    this.detectorControl.toggleStructure();
    this.redraw();
  }

  toggleHelp(): void {
    this.store.set({ isHelpOpen: !this.store.state.isHelpOpen });
  }

  togglePanel(): void {
    this.store.set({ isPanelOpen: !this.store.state.isPanelOpen });
  }

  /** Parts of the canvas that elements cover. */
  setInsets(insets: Camera['insets']): void {
    const { camera } = this;
    const before = camera.insets;
    if (before.right === insets.right && before.bottom === insets.bottom && before.top === insets.top) return;
    const isFitting = this.camera.isFitted;
    camera.insets = insets;
    const { greeting } = this.store.state;
    if (isFitting && greeting !== undefined) camera.fit(greeting.bounds, this.#lastFrameMs === 0);
    this.redraw();
  }

  /** Where an entity is drawn, in CSS pixels from the canvas's corner; undefined when it is not there. */
  screenOf(id: number): { x: number; y: number } | undefined {
    const { crowd, playhead } = this.intake;
    const index = crowd.indexOf(id);
    if (index < 0) return undefined;
    const place = new Float64Array(3);
    crowd.placeInto(index, crowd.between(playhead.tick), place);
    return { x: this.camera.screenX(place[0] as number), y: this.camera.screenY(place[1] as number) };
  }

  redraw(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame((nowMs) => this.#draw(nowMs));
  }

  #draw(nowMs: number): void {
    this.#isScheduled = false;
    const elapsedMs = Math.min(100, Math.max(0, nowMs - this.#lastFrameMs));
    this.#lastFrameMs = nowMs;
    const { camera, intake } = this;
    const { crowd, playhead, flashes, trails } = intake;
    let isMoving = playhead.advance(elapsedMs, performance.now());
    const between = crowd.between(playhead.tick);
    if (this.store.state.isFollowing) this.#follow(elapsedMs);
    isMoving = camera.advance(elapsedMs) || isMoving;
    this.#hover();
    isMoving = this.detectorControl.advance(nowMs) || isMoving;
    const { greeting, theme, isByHeight, selected, hovered, comparedId, scale, structure } = this.store.state;
    this.#labels?.draw(structure, camera, PALETTES[theme], pixelRatio());
    if (greeting !== undefined && this.#picture !== undefined) {
      const isFading = this.#picture.draw({
        crowd,
        between,
        camera,
        bounds: greeting.bounds,
        palette: PALETTES[theme],
        isDark: theme === 'dark',
        isByHeight,
        rangeShape: greeting.rangeShape,
        rangeRatio: greeting.rangeRatio,
        structure,
        selected,
        hovered,
        comparedId,
        flashes,
        trails,
        nowMs: performance.now(),
      });
      isMoving = isFading || isMoving;
    }
    if (scale !== camera.scale) this.store.set({ scale: camera.scale });
    for (const callback of this.afterDraw) callback();
    this.#confirm();
    if (isMoving) this.redraw();
  }

  #confirm(): void {
    if (!this.#isConfirmationDue) return;
    this.#isConfirmationDue = false;
    this.#connection.confirm();
  }

  #isPicked(focus: FocusFrame): boolean {
    return focus.id === (focus.role === 'selected' ? this.#selectId : this.#hoverId);
  }

  #indexAt(x: number, y: number, reachPx: number): number {
    const { greeting } = this.store.state;
    if (greeting === undefined) return -1;
    const { crowd, playhead } = this.intake;
    const radius = pointSize(spacingPx({ crowd, bounds: greeting.bounds, camera: this.camera })) / 2;
    const maxDistance = (radius + reachPx) / this.camera.scale;
    return crowd.nearest(
      this.camera.worldX(x),
      this.camera.worldY(y),
      maxDistance,
      crowd.between(playhead.tick),
    );
  }

  #hover(): void {
    const index =
      this.#pointer === undefined ? -1 : this.#indexAt(this.#pointer.x, this.#pointer.y, REACH_PX);
    const id = index < 0 ? 0 : (this.intake.crowd.ids[index] as number);
    if (id === this.#hoverId) return;
    this.#hoverId = id;
    this.#connection.send({ type: 'hover', id });
    if (this.#canvas !== undefined) this.#canvas.style.cursor = id === 0 ? '' : 'pointer';
    if (id === 0) this.store.set({ hovered: undefined });
  }

  #follow(elapsedMs: number): void {
    const place = this.screenOf(this.#selectId);
    if (place === undefined) return;
    const share = this.camera.isStill ? 1 : 1 - Math.exp(-elapsedMs / 120);
    this.camera.dragBy((this.camera.originX - place.x) * share, (this.camera.originY - place.y) * share);
  }

  /** So near that what it perceives fills half of the picture, or as near as it is. */
  #goTo(): void {
    const { selected } = this.store.state;
    const place = this.screenOf(this.#goingTo);
    if (selected?.id !== this.#goingTo || place === undefined) return;
    this.#goingTo = 0;
    const { range } = selected;
    const { camera } = this;
    const scale = range > 0 ? Math.max(camera.scale, camera.scaleFor(range)) : camera.scale;
    if (this.store.state.isFollowing) camera.zoomBy(scale / camera.scale);
    else camera.flyTo(camera.worldX(place.x), camera.worldY(place.y), scale);
  }

  #resize(): void {
    const canvas = this.#canvas;
    if (canvas === undefined) return;
    const isFitting = this.camera.isFitted;
    this.camera.width = Math.max(1, canvas.clientWidth);
    this.camera.height = Math.max(1, canvas.clientHeight);
    const { greeting } = this.store.state;
    if (isFitting && greeting !== undefined) this.camera.fit(greeting.bounds, true);
    this.redraw();
  }

  #announce(nowMs: number): void {
    if (nowMs - this.#announcedMs < ANNOUNCE_MS) return;
    this.#announcedMs = nowMs;
    const { entityCount, relations, eventsPerSecond, tickMs, paused } = this.store.state;
    const pace = paused ? 'Paused' : 'Playing';
    const announcement = `${pace}: ${whole(entityCount)} entities, ${whole(relations)} relations, ${whole(eventsPerSecond)} events a second, tick ${tickMs.toFixed(1)} milliseconds.`;
    this.store.set({ announcement });
  }
}
