/**
 * The centre of the page: everything that a user can do by pointer, key or button, and the drawing loop.
 *
 * It draws only when needed: each display frame while the world moves, the camera glides or a flash fades; otherwise not at
 * all. The entity under the pointer is looked up at most once per frame, by a pass over all entities.
 */
import type { ExplanationNews } from '../explanation-news.ts';
import type { FeedFrame } from '../feed-frame.ts';
import type { DescriptionNews, DetectorNews, Greeting, NamesNews, Pace, SeekNews } from '../feed-message.ts';
import type { FocusFrame } from '../focus-frame.ts';
import type { StandingNews } from '../standing-news.ts';
import { Camera } from './camera.ts';
import { Comparison } from './comparison.ts';
import { Description } from './description.ts';
import { DetectorControl } from './detector-control.ts';
import type { ConnectionState, FeedLink, FeedListener } from './feed-link.ts';
import { whole } from './figures.ts';
import { Intake } from './intake.ts';
import { Names } from './names.ts';
import { PaceControl } from './pace-control.ts';
import { PALETTES, type Theme } from './palette.ts';
import { remember } from './remembered.ts';
import type { Store } from './store.ts';
import { TimeLine } from './time-line.ts';
import { Travel } from './travel.ts';
import { FocusLabels } from './view/focus-labels.ts';
import { Picture, pixelRatio, pointSize, spacingPx } from './view/picture.ts';
import { StructureLabels } from './view/structure-labels.ts';
import type { Whom } from './walk.ts';

/** Maximum distance of the pointer from an entity's disc, in CSS pixels. */
const REACH_PX = 8;
const REACH_TOUCH_PX = 18;
const ANNOUNCE_MS = 20_000;
export const THEME_KEY = 'umwelt-theme';

export class Explorer implements FeedListener {
  readonly store: Store;
  readonly camera = new Camera();
  readonly intake: Intake;
  readonly detectorControl: DetectorControl;
  readonly timeLine: TimeLine;
  readonly description: Description;
  readonly pace: PaceControl;
  readonly names: Names;
  readonly #travel: Travel;
  readonly #comparison: Comparison;
  /** If entities may be dragged: called with the entity and its position in world units; id 0: released. */
  onHold: ((id: number, x: number, y: number) => void) | undefined;
  #heldId = 0;
  /** Called after each drawn frame, for elements that follow the picture. */
  readonly afterDraw = new Set<() => void>();
  readonly #connection: FeedLink;
  #picture: Picture | undefined;
  #labels: StructureLabels | undefined;
  #focusLabels: FocusLabels | undefined;
  #canvas: HTMLCanvasElement | undefined;
  #isScheduled = false;
  #lastFrameMs = 0;
  #isConfirmationDue = false;
  #pointer: { x: number; y: number } | undefined;
  #hoverId = 0;
  #selectId = 0;
  #announcedMs = 0;
  /** `connect` creates the page's end of the feed. */
  constructor(store: Store, connect: (listener: FeedListener) => FeedLink) {
    this.store = store;
    this.intake = new Intake(store, this.camera);
    this.#connection = connect(this);
    const send: FeedLink['send'] = (message) => this.#connection.send(message);
    this.#comparison = new Comparison(store, this.intake, send, (id) => this.names.of(id));
    this.detectorControl = new DetectorControl(store, this.camera, send);
    this.timeLine = new TimeLine(store, send);
    this.description = new Description(store, send);
    this.pace = new PaceControl(store, this.timeLine, send);
    this.names = new Names(store, this.intake.crowd, send);
    this.#travel = new Travel(store, this.camera, this.intake);
    this.camera.isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#connection.open();
    // A hidden page draws nothing, but must still report the frames that it has processed.
    setInterval(() => this.#confirm(), 500);
  }

  /** Sets the canvas for the world, and the canvases for labels over it. Call it once. */
  attach(canvas: HTMLCanvasElement, labels: HTMLCanvasElement, focusLabels: HTMLCanvasElement): void {
    this.#canvas = canvas;
    this.#labels = new StructureLabels(labels);
    this.#focusLabels = new FocusLabels(focusLabels);
    try {
      this.#picture = new Picture(canvas);
    } catch (error) {
      this.store.set({ graphicsFault: error instanceof Error ? error.message : String(error) });
    }
    canvas.addEventListener('webglcontextrestored', () => this.redraw());
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  // Events of the feed

  onState(connection: ConnectionState): void {
    if (connection === this.store.state.connection) return;
    const words = {
      connecting: '',
      live: '',
      lost: 'Connection lost.',
      foreign: 'Page and server have different versions.',
      locked: 'The address is no longer valid.',
    };
    this.store.set({ connection, announcement: words[connection] });
  }

  onGreeting(greeting: Greeting): void {
    const before = this.store.state.greeting;
    this.pace.begin();
    const isSame = JSON.stringify(before) === JSON.stringify(greeting);
    document.title = `${greeting.title} · umwelt`;
    this.intake.begin(greeting);
    this.names.begin();
    this.detectorControl.begin();
    this.timeLine.begin();
    this.store.set({
      greeting,
      isByHeight: greeting.bounds.minZ !== undefined,
      announcement: `Connected: ${greeting.title}.`,
    });
    if (!isSame) this.camera.fit(greeting.bounds, true);
    // After a reconnect the id may be unknown; the feed's answer tells whether this entity exists.
    if (this.#selectId !== 0) this.#connection.send({ type: 'select', id: this.#selectId });
    this.#comparison.resume();
    this.description.resume();
    this.redraw();
  }

  onPace(pace: Pace): void {
    this.pace.take(pace);
    this.intake.setPace(pace.paused, pace.speed);
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

  onStanding(standing: StandingNews): void {
    if (standing.id === this.#selectId) this.store.set({ standing });
  }

  onNames(news: NamesNews): void {
    this.names.take(news);
  }

  onFrame(frame: FeedFrame): void {
    const nowMs = performance.now();
    if (frame.kind === 'tick') this.timeLine.arrive(frame.tick);
    if (frame.kind === 'structure') this.detectorControl.takeFrame(frame);
    else if (frame.kind === 'churn') this.timeLine.takeStrip(frame);
    else this.intake.take(frame, nowMs, (focus) => this.#isPicked(focus));
    if (frame.kind === 'tick') this.#lookFirst();
    this.#travel.arrive((id) => this.screenOf(id));
    if (frame.kind === 'structure' || frame.kind === 'tick') this.#isConfirmationDue = true;
    if (frame.kind === 'tick') this.#announce(nowMs);
    this.redraw();
  }

  // Actions of the user

  fit(): void {
    const { greeting } = this.store.state;
    this.#travel.stay();
    this.store.set({ isFollowing: false });
    if (greeting !== undefined) this.camera.fit(greeting.bounds);
    this.redraw();
  }

  zoomBy(factor: number, x?: number, y?: number, atOnce = false): void {
    this.#travel.stay();
    // While following, zoom about the centre, where the followed entity is.
    if (this.store.state.isFollowing) this.camera.zoomBy(factor, undefined, undefined, atOnce);
    else this.camera.zoomBy(factor, x, y, atOnce);
    this.redraw();
  }

  glideBy(dx: number, dy: number): void {
    this.#travel.stay();
    this.store.set({ isFollowing: false });
    this.camera.glideBy(dx, dy);
    this.redraw();
  }

  dragBy(dx: number, dy: number): void {
    this.#travel.stay();
    if (this.store.state.isFollowing) this.store.set({ isFollowing: false });
    this.camera.dragBy(dx, dy);
    this.redraw();
  }

  /** Selects an entity; 0 clears the selection. */
  select(id: number, isToBeSeen = false): void {
    this.#selectId = id;
    this.#travel.stay();
    this.#connection.send({ type: 'select', id });
    this.#comparison.forget();
    this.description.select(id);
    this.intake.flashes.clear();
    const { state } = this.store;
    this.store.set({
      selectedId: id,
      selected: undefined,
      standing: undefined,
      lately: undefined,
      isFollowing: id !== 0 && state.isFollowing,
      isPickingOther: false,
      announcement: id === 0 ? 'Nothing selected.' : `Selected ${this.names.of(id)}.`,
    });
    const place = isToBeSeen ? this.screenOf(id) : undefined;
    if (place !== undefined) this.camera.bringIntoSight(place.x, place.y);
    this.redraw();
  }

  /** Selects the entity at a point, or compares it with the selected one if that was requested. */
  selectAt(x: number, y: number, isTouch: boolean): void {
    if (this.store.state.isPickingOther) {
      this.explainAt(x, y, isTouch);
      return;
    }
    const index = this.#indexAt(x, y, isTouch ? REACH_TOUCH_PX : REACH_PX);
    this.select(index < 0 ? 0 : (this.intake.crowd.ids[index] as number));
  }

  /** Explains why an entity is related to the selected one or not. If none is selected, the entity is selected; 0: none. */
  explain(id: number): void {
    this.store.set({ isPickingOther: false });
    if (this.#selectId === 0 && id !== 0) this.select(id);
    else this.#comparison.pick(id === this.#selectId ? 0 : id);
    this.redraw();
  }

  /** Explains the entity at a point; does nothing if there is none. */
  explainAt(x: number, y: number, isTouch: boolean): void {
    const index = this.#indexAt(x, y, isTouch ? REACH_TOUCH_PX : REACH_PX);
    if (index >= 0) this.explain(this.intake.crowd.ids[index] as number);
  }

  /** Whether the next entity picked in the world is compared with the selected one. */
  togglePickingOther(): void {
    const isPickingOther = !this.store.state.isPickingOther && this.#selectId !== 0;
    this.store.set({ isPickingOther });
  }

  /** Explains the entity under the pointer, else the next by distance from the selected one. */
  explainNext(): void {
    if (this.#hoverId !== 0 && this.#hoverId !== this.#selectId) this.explain(this.#hoverId);
    else this.#comparison.pickNext(this.#selectId);
    this.redraw();
  }

  /** Cancels picking, else clears the comparison, else the selection. */
  letGo(): void {
    if (this.store.state.isPickingOther) this.togglePickingOther();
    else if (this.store.state.comparedId !== 0) this.explain(0);
    else this.select(0);
  }

  /** Starts dragging the entity at a point; false if there is none, or entities cannot be dragged. */
  hold(x: number, y: number, isTouch: boolean): boolean {
    const index = this.onHold === undefined ? -1 : this.#indexAt(x, y, isTouch ? REACH_TOUCH_PX : REACH_PX);
    this.#heldId = index < 0 ? 0 : (this.intake.crowd.ids[index] as number);
    return this.#heldId !== 0;
  }

  holdAt(x: number, y: number): void {
    // The picture must not move while an entity is dragged.
    if (this.store.state.isFollowing) this.store.set({ isFollowing: false });
    if (this.#selectId !== this.#heldId) this.select(this.#heldId);
    this.onHold?.(this.#heldId, this.camera.worldX(x), this.camera.worldY(y));
  }

  letDown(): void {
    this.#heldId = 0;
    this.onHold?.(0, 0, 0);
  }

  /** Undefined: the pointer has left. */
  pointAt(pointer: { x: number; y: number } | undefined): void {
    this.#pointer = pointer;
    this.redraw();
  }

  /** Selects the next or previous entity by id, wrapping around: of watchers, and goes there, or of all. */
  selectNext(direction: 1 | -1, whom: Whom): void {
    const id = this.#travel.nextAfter(this.#selectId, direction, whom);
    if (id === 0) return;
    this.select(id, whom === 'anybody');
    if (whom === 'watchers') this.#travel.goTo(id);
  }

  /** Goes to the selected entity. */
  goToSelected(): void {
    this.#travel.goTo(this.#selectId);
    this.#travel.arrive((id) => this.screenOf(id));
    this.redraw();
  }

  /** False for the entity that the page follows before the user has done anything. */
  get isSelectedByUser(): boolean {
    return this.#selectId !== 0 && !this.store.state.isShownAround;
  }

  toggleFollowing(): void {
    this.store.set({ isFollowing: !this.store.state.isFollowing && this.#selectId !== 0 });
    this.redraw();
  }

  toggleTheme(): void {
    const theme: Theme = this.store.state.theme === 'dark' ? 'light' : 'dark';
    remember(THEME_KEY, theme);
    this.setTheme(theme);
  }

  setTheme(theme: Theme): void {
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

  /** Margins of the canvas that other elements cover. */
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

  /** Where an entity is drawn, in CSS pixels from the canvas's corner; undefined if it is not in the world. */
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
    if (this.store.state.isFollowing) this.#travel.follow(this.screenOf(this.#selectId), elapsedMs);
    isMoving = camera.advance(elapsedMs) || isMoving;
    this.#hover();
    isMoving = this.detectorControl.advance(nowMs) || isMoving;
    const { greeting, theme, isByHeight, selected, hovered, comparedId, scale, structure } = this.store.state;
    this.#labels?.draw(structure, camera, PALETTES[theme], pixelRatio());
    this.#focusLabels?.draw(selected, crowd, between, camera, PALETTES[theme], pixelRatio());
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
        senses: greeting.senses,
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

  /** Chooses an entity to follow before the user has done anything. */
  #lookFirst(): void {
    const id = this.#travel.firstToFollow();
    if (id === 0) return;
    this.select(id);
    this.#travel.lookFirst(id);
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
    const announcement = `${pace}: ${whole(entityCount)} entities, ${whole(relations)} relations, ${whole(eventsPerSecond)} events per second, tick ${tickMs.toFixed(1)} milliseconds.`;
    this.store.set({ announcement });
  }
}
