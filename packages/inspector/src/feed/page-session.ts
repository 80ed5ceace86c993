/**
 * One open page: what it has been sent, what it has processed, and which entities it asks about.
 *
 * The feed never queues frames for a page. A page reports how many tick frames it has processed. While two are in flight, or
 * more than `BUFFERED_BYTES_MAX` wait in the socket, the page misses frames; it gets the newest as soon as it has caught up.
 * Totals in the frames are cumulative, and events of the selected entity wait for the next frame (see `SelectionLog`), so only
 * intermediate motion is lost.
 *
 * The connection is ended if a message is no `PageMessage`, is too long or binary, or exceeds the rate limit; if the page does
 * not read while messages about other pages pile up; and if nothing is heard of it from one probe to the next and it has read
 * nothing: it may have vanished without closing, and would occupy the place of another page. A page that still reads or draws a
 * frame of a large world, which comes before the probe, gets more time.
 */
import type { Changes } from 'umwelt';
import { type PageMessage, readPageMessage } from '../feed-message.ts';
import type { ChurnStrip } from './churn-strip.ts';
import type { Feed } from './feed.ts';
import { PacedAnswer } from './paced-answer.ts';
import { closeFor, type PageSocket } from './page-socket.ts';
import { SelectionLog } from './selection-log.ts';
import { StructureStream } from './structure-stream.ts';
import { startTimer, type Timer } from './timer.ts';

const FRAMES_UNDER_WAY_MAX = 2;
const BUFFERED_BYTES_MAX = 4 << 20;
/** A page that reads at all is never this far behind: one frame of the largest world, and the same amount of text. */
const UNREAD_BYTES_MAX = 128 << 20;
/** A page sends one message per drawn frame and one per pointer move: far below this limit. */
const MESSAGES_A_SECOND_MAX = 1000;

/** Probes that a page may leave unanswered while it has frames to draw: without a graphics card, one of a million takes half a minute. */
const BUSY_PROBES_MAX = 4;

/** About thirty answers per second: enough for a pointer that moves over a crowd. */
const ANSWER_MS = 30;
/** Four per second: descriptions are read, not watched. */
const DESCRIPTION_MS = 250;

/** WebSocket close code 1008: policy violation. */
const POLICY_VIOLATION = 1008;

export class PageSession {
  readonly #socket: PageSocket;
  readonly #feed: Feed;
  readonly #command: (message: PageMessage) => boolean;
  readonly #structure: StructureStream;
  readonly #log: SelectionLog;
  readonly #answer = new PacedAnswer(ANSWER_MS, () => this.#guarded(() => this.#sendAsked(false)) ?? true);
  readonly #description = new PacedAnswer(
    DESCRIPTION_MS,
    () => this.#guarded(() => this.#sendDescription()) ?? true,
  );
  /** Requests that are not answered yet. */
  readonly #asked = new Set<'selected' | 'hovered' | 'explanation'>();
  #selected = 0;
  #hovered = 0;
  /** Compared with the selected entity; 0: none. */
  #explained = 0;
  /** Entity whose surroundings are described; 0: none. */
  #described = 0;
  #populationVersion = 0;
  /** Version of the strip that was sent; -1: none yet. */
  #stripVersion = -1;
  #sentCount = 0;
  #takenCount = 0;
  /** True if the newest frame has not been sent. */
  #behind = false;
  #frameTimer: Timer | undefined;
  /** Probes since anything was heard of the page, or it read anything. */
  #silentProbes = 0;
  /** Bytes that the page had not read at the last probe. */
  #unreadBytes = 0;
  #windowStartMs = 0;
  #messageCount = 0;

  /**
   * `command` is called with messages that concern the world, not this page alone. It returns whether the page may send that
   * message.
   */
  constructor(socket: PageSocket, feed: Feed, command: (message: PageMessage) => boolean) {
    this.#socket = socket;
    this.#feed = feed;
    this.#command = command;
    this.#log = new SelectionLog(feed.isRecording);
    this.#structure = new StructureStream({
      frameOf: (window) => this.#guarded(() => feed.structureFrame(window)),
      send: (frame) => this.#sendFrame(frame),
    });
    socket.on('message', (data, isBinary) => {
      // Ignore messages that arrive after closing has begun.
      if (!this.#isOpen) return;
      this.#silentProbes = 0;
      const message = isBinary || this.#isFlooding() ? undefined : readPageMessage(data.toString());
      if (message === undefined || !this.#take(message))
        socket.close(POLICY_VIOLATION, 'not a message of this feed');
    });
    socket.on('pong', () => {
      this.#silentProbes = 0;
    });
    socket.on('close', () => {
      clearTimeout(this.#frameTimer);
      this.#structure.close();
      this.#answer.close();
      this.#description.close();
    });
    // A broken connection reports an error and then closes; only closing matters here.
    socket.on('error', () => socket.terminate());
  }

  /** Takes a tick's changes, if any, and sends the newest frames if the page is ready for them. */
  publish(changes?: Changes): void {
    if (changes !== undefined) this.#log.note(changes);
    this.#behind = true;
    this.#sendIfReady();
    this.#structure.renew();
    if (this.#described !== 0) this.#description.ask();
  }

  /** The detector has changed: sends its structure at once if the page shows it. */
  replaceStructure(): void {
    this.#structure.replace();
  }

  /** Sends the churn strip of a recording if the page does not have this version. */
  sendStrip(strip: ChurnStrip): void {
    if (strip.version === this.#stripVersion || !this.#sendFrame(strip.frame())) return;
    this.#stripVersion = strip.version;
  }

  /** Ends the connection of a page that was not heard, and has read nothing, since the last probe; if it is busy, since the last few. */
  probe(): void {
    const { bufferedAmount } = this.#socket;
    if (bufferedAmount < this.#unreadBytes) this.#silentProbes = 0;
    this.#unreadBytes = bufferedAmount;
    const isBusy = this.#takenCount < this.#sentCount;
    if (this.#silentProbes < (isBusy ? BUSY_PROBES_MAX : 1)) this.#socket.ping();
    else this.terminate();
    this.#silentProbes++;
  }

  sendText(text: string): void {
    if (this.#socket.bufferedAmount > UNREAD_BYTES_MAX) this.#socket.terminate();
    else if (this.#isOpen) this.#socket.send(text);
  }

  /** 1001: the server is going away; the page will try to reconnect. */
  close(): void {
    this.#socket.close(1001, 'the inspector closes');
  }

  terminate(): void {
    this.#socket.terminate();
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get #isReady(): boolean {
    return this.#isOpen && this.#socket.bufferedAmount <= BUFFERED_BYTES_MAX;
  }

  #sendFrame(frame: Uint8Array<ArrayBuffer>): boolean {
    if (!this.#isReady) return false;
    this.#socket.send(frame);
    return true;
  }

  #sendIfReady(): void {
    if (!this.#isReady) return;
    if (this.#sentCount - this.#takenCount >= FRAMES_UNDER_WAY_MAX) return;
    const waitMs = this.#feed.frameWaitMs;
    if (waitMs > 0) {
      this.#frameTimer ??= startTimer(() => this.#sendLate(), Math.ceil(waitMs));
      return;
    }
    this.#guarded(() => this.#sendNewest());
  }

  #sendNewest(): void {
    const startMs = performance.now();
    this.#behind = false;
    this.#sentCount++;
    const tickFrame = this.#feed.tickFrame();
    if (this.#populationVersion !== this.#feed.populationVersion) {
      this.#socket.send(this.#feed.populationFrame(this.#populationVersion));
      this.#populationVersion = this.#feed.populationVersion;
    }
    // Before the tick frame, with which the page applies all of it at once: the page may draw between any two messages.
    this.#asked.add('selected').add('hovered').add('explanation');
    this.#sendAsked(true);
    this.#answer.settle();
    this.#socket.send(tickFrame);
    this.#feed.spend(performance.now() - startMs);
  }

  /** Sends the newest frame, which had to wait for its turn. */
  #sendLate(): void {
    this.#frameTimer = undefined;
    if (this.#behind) this.#sendIfReady();
  }

  /**
   * What `ask` returns. It reads the world, which may have been disposed of, and may call code of the game: a rank function, a
   * detector. A page that is looked at must not end the game for their errors, so it ends the page's connection, and returns
   * undefined.
   */
  #guarded<T>(ask: () => T): T | undefined {
    try {
      return ask();
    } catch (error) {
      closeFor(this.#socket, error);
      return undefined;
    }
  }

  /** False if the page is not ready for it. `isAhead`: the tick frame follows. */
  #sendAsked(isAhead: boolean): boolean {
    if (!this.#isReady) return false;
    const [selected, hovered, explained] = [this.#selected, this.#hovered, this.#explained];
    if (this.#asked.has('selected') && selected !== 0) {
      this.#socket.send(this.#feed.focusFrame(selected, 'selected', isAhead, this.#log.take()));
      this.#socket.send(this.#feed.standing(selected));
    }
    if (this.#asked.has('hovered') && hovered !== 0)
      this.#socket.send(this.#feed.focusFrame(hovered, 'hovered', isAhead));
    if (this.#asked.has('explanation') && selected !== 0 && explained !== 0)
      this.#socket.send(this.#feed.explanation(selected, explained));
    this.#asked.clear();
    return true;
  }

  #sendDescription(): boolean {
    if (!this.#isReady) return false;
    if (this.#described !== 0) this.#socket.send(this.#feed.description(this.#described));
    return true;
  }

  #ask(what: 'selected' | 'hovered' | 'explanation'): void {
    this.#asked.add(what);
    this.#answer.ask();
  }

  /** False for a message that this page may not send. */
  #take(message: PageMessage): boolean {
    switch (message.type) {
      case 'taken':
        this.#takenCount = Math.max(this.#takenCount, Math.min(message.frames, this.#sentCount));
        if (this.#behind) this.#sendIfReady();
        this.#structure.taken(message.structures);
        return true;
      case 'select':
        this.#selected = message.id;
        this.#explained = 0;
        this.#log.begin(message.id, this.#feed.tick);
        this.#ask('selected');
        return true;
      case 'hover':
        this.#hovered = message.id;
        this.#ask('hovered');
        return true;
      case 'explain':
        this.#explained = message.id;
        this.#ask('explanation');
        return true;
      case 'describe':
        this.#described = message.id;
        this.#description.ask();
        return true;
      case 'names':
        this.sendText(this.#feed.names(message.ids));
        return true;
      case 'structure':
        this.#structure.ask(message.window);
        return true;
      default:
        return this.#command(message);
    }
  }

  #isFlooding(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#windowStartMs > 1000) {
      this.#windowStartMs = nowMs;
      this.#messageCount = 0;
    }
    this.#messageCount++;
    return this.#messageCount > MESSAGES_A_SECOND_MAX;
  }
}
