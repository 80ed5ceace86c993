/**
 * A world's feed and all its pages: greets pages, sends them each tick, and runs their commands on the world.
 *
 * It knows no network: the inspector's server hands it WebSockets, a page that runs its own world hands it an in-process
 * socket. While no page is open, nothing is computed except sums of what each tick reports.
 */
import { type Changes, type EntityId, UmweltError, type WorldReader } from 'umwelt';
import {
  type DetectorNews,
  type Greeting,
  type PageMessage,
  type SeekNews,
  writeMessage,
} from '../feed-message.ts';
import { FOCUS_RANGES_MAX, type SenseRange } from '../focus-frame.ts';
import { FEED_VERSION } from '../frame-header.ts';
import { ChurnStrip } from './churn-strip.ts';
import { Feed } from './feed.ts';
import type { FeedOptions } from './feed-options.ts';
import { PageSession } from './page-session.ts';
import { closeFor, type PageSocket } from './page-socket.ts';
import { startTimer, type Timer } from './timer.ts';

/** Interval of checks whether more of a recording has become known, in milliseconds. */
const STRIP_MS = 250;

/** What the page shows about a tick besides its changes. */
export interface InspectorStatus {
  /** Duration of the tick's computation, in milliseconds. */
  tickMs: number;
  /** Whether the world is paused. */
  paused: boolean;
  /** Speed of world time relative to real time. */
  speed: number;
}

export class FeedHost {
  readonly #options: FeedOptions;
  readonly #feed: Feed;
  /** Recordings only. */
  readonly #strip: ChurnStrip | undefined;
  #stripTimer: Timer | undefined;
  readonly #sessions = new Set<PageSession>();
  /** Detectors that a page may choose. */
  readonly #offered: readonly string[];
  /** How many kinds the last greeting had. */
  #greetedKinds = 0;
  /** Name of the world's detector as last sent to the pages. */
  #detector: string;

  constructor(options: FeedOptions) {
    const { recording } = options;
    this.#options = options;
    this.#offered = options.commands?.setDetector === undefined ? [] : [...(options.detectors ?? [])];
    this.#detector = options.world.stats().detector;
    this.#strip = recording === undefined ? undefined : new ChurnStrip(recording);
    this.#feed = new Feed(
      {
        get world() {
          return options.world;
        },
        kindOf: (id) => kindOf(options, id),
        ...(options.kindsVersion && { kindsVersion: () => answer(() => options.kindsVersion?.(), 0) }),
        nameOf: (id) => nameOf(options, id),
        rangeOf: (id) => rangeOf(options, id),
        rangesOf: (id) => rangesOf(options, id),
      },
      options.world.dimensions,
      recording !== undefined,
    );
    if (this.#strip !== undefined) this.#stripTimer = startTimer(() => this.#sendStripAgain(), STRIP_MS);
  }

  /** Number of open pages. */
  get pageCount(): number {
    return this.#sessions.size;
  }

  get tick(): number {
    return this.#feed.tick;
  }

  publish(changes: Changes, status: InspectorStatus): void {
    this.#strip?.note(changes.tick, changes.enteredCount + changes.leftCount);
    this.#feed.publish(changes, status, performance.now());
    this.#tellDetectorIfAnother();
    for (const session of this.#sessions) session.publish(changes);
    // There are kinds that the greeting did not have: pages reconnect and are greeted with all of them.
    if (this.#options.kindsVersion !== undefined && this.#feed.kindCount > this.#greetedKinds) {
      for (const session of this.#sessions) session.close();
    }
  }

  noteChurn(tick: number, pairCount: number): void {
    this.#strip?.note(tick, pairCount);
  }

  tellSeek(tick: number, progress: number): void {
    const news: SeekNews = { type: 'seek', tick, progress };
    this.#tell(writeMessage(news));
  }

  /** Adds an accepted page, until its socket closes. Closes it at once if the world was disposed of. */
  join(socket: PageSocket): void {
    try {
      this.#greet(socket);
    } catch (error) {
      closeFor(socket, error);
    }
  }

  #greet(socket: PageSocket): void {
    const session = new PageSession(socket, this.#feed, (message) => this.#command(message));
    // Before the page is added: its greeting has the present detector already.
    this.#tellDetectorIfAnother();
    this.#sessions.add(session);
    socket.on('close', () => this.#sessions.delete(session));
    session.sendText(this.#greeting());
    session.sendText(writeMessage({ type: 'detector', name: this.#detector }));
    session.publish();
    this.#sendStrip();
  }

  /** Ends the connections of pages that were not heard, and have read nothing, since the last probe. */
  probe(): void {
    for (const session of this.#sessions) session.probe();
  }

  /** Closes all pages' connections. */
  close(): void {
    clearTimeout(this.#stripTimer);
    for (const session of this.#sessions) session.close();
  }

  /** Terminates the remaining connections. */
  terminate(): void {
    for (const session of this.#sessions) session.terminate();
  }

  /** Drops all sessions. */
  forget(): void {
    this.#sessions.clear();
  }

  #greeting(): string {
    const { world, title, kinds, bounds, tickSeconds, recording, commands, nameOf } = this.#options;
    this.#greetedKinds = kinds.length;
    const { rangeShape = world.rangeShape, rangeRatio = world.rangeRatio } = this.#options;
    const greeting: Greeting = {
      type: 'greeting',
      version: FEED_VERSION,
      title,
      kinds: [...kinds],
      senses: [...world.senseNames],
      bounds,
      tickSeconds,
      rangeShape,
      rangeRatio: [rangeRatio[0], rangeRatio[1]],
      detectors: [...this.#offered],
      isDriven: commands !== undefined,
      hasNames: nameOf !== undefined,
      recording,
    };
    return writeMessage(greeting);
  }

  /** False for a command that no page of this inspector can send. */
  #command(message: PageMessage): boolean {
    const { commands } = this.#options;
    if (commands === undefined) return false;
    switch (message.type) {
      case 'detector':
        return this.#setDetector(message.name);
      case 'seek':
        return this.#seek(message.tick);
      case 'play':
        this.#feed.setPace({ paused: false });
        commands.play();
        break;
      case 'pause':
        this.#feed.setPace({ paused: true });
        commands.pause();
        break;
      case 'speed':
        this.#feed.setPace({ speed: message.factor });
        commands.setSpeed(message.factor);
        break;
      case 'step':
        commands.step();
        break;
    }
    // A paused world has no tick that reports it, so pages get a text message.
    const { paused, speed } = this.#feed.status;
    this.#tell(writeMessage({ type: 'pace', paused, speed }));
    return true;
  }

  #seek(tick: number): boolean {
    const { recording, commands } = this.#options;
    if (recording === undefined || tick < recording.firstTick || tick > recording.lastTick) return false;
    commands?.seek?.(tick);
    return true;
  }

  #setDetector(name: string): boolean {
    if (!this.#offered.includes(name)) return false;
    if (name === this.#options.world.stats().detector) return true;
    let refusal: string | undefined;
    try {
      this.#options.commands?.setDetector?.(name);
    } catch (error) {
      // The detector may not suit this kind of world: report that to the page that chose it.
      if (!(error instanceof UmweltError)) throw error;
      refusal = error.message;
    }
    if (refusal === undefined) this.#tellDetectorIfAnother();
    else this.#tellDetector(refusal);
    return true;
  }

  /** The game may change the world's detector too. */
  #tellDetectorIfAnother(): void {
    if (this.#options.world.stats().detector !== this.#detector) this.#tellDetector();
  }

  #tellDetector(refusal?: string): void {
    this.#detector = this.#options.world.stats().detector;
    const news: DetectorNews = { type: 'detector', name: this.#detector, refusal };
    this.#tell(writeMessage(news));
    for (const session of this.#sessions) session.replaceStructure();
  }

  #sendStrip(): void {
    if (this.#strip === undefined) return;
    for (const session of this.#sessions) session.sendStrip(this.#strip);
  }

  #sendStripAgain(): void {
    this.#sendStrip();
    this.#stripTimer = startTimer(() => this.#sendStripAgain(), STRIP_MS);
  }

  #tell(text: string): void {
    for (const session of this.#sessions) session.sendText(text);
  }
}

/**
 * What a function of the game answers, or `otherwise` if it throws or answers nothing: what it looks up may be gone with its entity, and a page
 * that is looked at must not end the game for that.
 */
function answer<T>(ask: () => T | undefined, otherwise: T): T {
  try {
    return ask() ?? otherwise;
  } catch {
    return otherwise;
  }
}

function kindOf(options: FeedOptions, id: EntityId): number {
  return answer(() => options.kindOf(id), 0);
}

/** Pages may ask for any number, and for removed entities: without a name from the game, kind and id. */
function nameOf(options: FeedOptions, id: EntityId): string {
  const given: unknown = answer(() => options.nameOf?.(id), '');
  if (typeof given === 'string' && given !== '') return given;
  const kind = options.world.has(id) ? options.kinds[kindOf(options, id)] : undefined;
  return `${kind ?? 'entity'} ${id}`;
}

function rangeOf(options: FeedOptions, id: EntityId): number {
  if (options.rangeOf !== undefined) return answer(() => options.rangeOf?.(id), 0);
  if (options.rangesOf === undefined) return longestRange(options.world, id);
  return rangesOf(options, id).reduce((longest, { range }) => Math.max(longest, range), 0);
}

function rangesOf(options: FeedOptions, id: EntityId): readonly SenseRange[] {
  if (options.rangesOf !== undefined) return answer(() => options.rangesOf?.(id), []);
  if (options.rangeOf !== undefined) return [];
  const { world } = options;
  const ranges = world.ranges(id);
  return world.senseNames.map((sense, s) => ({ sense, range: ranges[s] as number }));
}

/** Room for the ranges of any world's senses: an array per entity takes a second of a world of a million. */
const ranges = new Float32Array(FOCUS_RANGES_MAX);

/** The longest of an entity's ranges over all senses, in world units; 0 if it does not perceive. */
export function longestRange(world: WorldReader, id: EntityId): number {
  const { length } = world.senseNames;
  world.ranges(id, ranges);
  let longest = 0;
  for (let sense = 0; sense < length; sense++) longest = Math.max(longest, ranges[sense] as number);
  return longest;
}
