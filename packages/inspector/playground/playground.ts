/**
 * A world and its inspector in one page, with no server: steps the world sixty times a second and tells the page of it.
 *
 * Steps are whole and equal. A page that is hidden, or too slow, gives up what it owes beyond `DEBT_STEPS`.
 */
import { detectorNames } from 'umwelt';
import { FeedHost } from '../src/feed/feed-host.ts';
import type { Explorer } from '../src/page/explorer.ts';
import type { FeedLink, FeedListener } from '../src/page/feed-link.ts';
import { LocalLink } from './local-link.ts';
import { BRUTE_FORCE_MAX, feasible, readSettings, type Settings, writeSettings } from './settings.ts';
import { STEPS_A_SECOND, ToyWorld } from './toy-world.ts';

const STEP_MS = 1000 / STEPS_A_SECOND;
const DEBT_STEPS = 6;

export class Playground {
  settings: Settings = readSettings(location.hash);
  /** Steps done: for whoever measures. */
  stepCount = 0;
  #toy = new ToyWorld(this.settings);
  #host = this.#createHost();
  #link: LocalLink | undefined;
  #isPaused = false;
  /** Whether any of the page is on the screen. */
  #isSeen = true;
  #speed = 1;
  #dueMs = performance.now();
  readonly #listeners = new Set<() => void>();

  connect(listener: FeedListener): FeedLink {
    this.#link = new LocalLink(listener, () => this.#link?.join(this.#host));
    return this.#link;
  }

  /** After the page has begun. */
  begin(explorer: Explorer): void {
    explorer.onHold = (id, x, y) => this.#toy.hold(id, x, y);
    if (this.settings.isStructureShown) explorer.toggleStructure();
    // A shared address that is opened where the playground already is: the browser does not load the page again.
    addEventListener('hashchange', () => {
      const settings = readSettings(location.hash);
      if (settings.isStructureShown !== this.settings.isStructureShown) explorer.toggleStructure();
      this.set(settings);
    });
    explorer.store.subscribe(() => {
      const { isStructureShown } = explorer.store.state;
      if (isStructureShown !== this.settings.isStructureShown) this.set({ isStructureShown });
    });
    setInterval(() => this.#wake(), STEP_MS / 2);
    // In a frame that was scrolled away nobody sees it: it stands still rather than warm the machine.
    new IntersectionObserver((entries) => {
      this.#isSeen = entries.at(-1)?.isIntersecting ?? true;
    }).observe(document.documentElement);
  }

  /** Changes what is named. Another number of entities is another world. */
  set(patch: Partial<Settings>): void {
    const before = this.settings;
    this.settings = feasible({ ...before, ...patch });
    if (this.settings.entities === before.entities) this.#toy.set(this.settings);
    else this.#beginAnew();
    history.replaceState(null, '', `${location.pathname}${location.search}${writeSettings(this.settings)}`);
    for (const listener of this.#listeners) listener();
  }

  /** Called after each change. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #beginAnew(): void {
    void this.#toy.world.dispose();
    this.#toy = new ToyWorld(this.settings);
    this.#host.close();
    this.#host = this.#createHost();
    this.#link?.join(this.#host);
  }

  #wake(): void {
    if (this.#isPaused || !this.#isSeen) return;
    const stepMs = STEP_MS / this.#speed;
    const now = performance.now();
    this.#dueMs = Math.max(this.#dueMs, now - DEBT_STEPS * stepMs);
    if (this.#dueMs <= now) {
      this.#dueMs += stepMs;
      this.#step();
    }
  }

  #step(): void {
    const startMs = performance.now();
    const changes = this.#toy.step();
    const tickMs = performance.now() - startMs;
    this.#host.publish(changes, { tickMs, paused: this.#isPaused, speed: this.#speed });
    this.stepCount++;
  }

  #createHost(): FeedHost {
    const toy = this.#toy;
    const { title, kinds, bounds } = toy.simulation;
    return new FeedHost({
      world: toy.world,
      title,
      kinds,
      bounds,
      tickSeconds: 1 / STEPS_A_SECOND,
      kindOf: (id) => toy.kindOf(id),
      nameOf: (id) => toy.nameOf(id),
      detectors: detectorNames.filter(
        (name) => name !== 'brute-force' || this.settings.entities <= BRUTE_FORCE_MAX,
      ),
      commands: {
        play: () => this.#pause(false),
        pause: () => this.#pause(true),
        step: () => this.#step(),
        setSpeed: (factor) => {
          this.#speed = factor;
        },
        setDetector: (detector) => this.set({ detector }),
      },
    });
  }

  #pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#dueMs = performance.now();
  }
}
