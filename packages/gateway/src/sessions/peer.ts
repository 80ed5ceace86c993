/**
 * One connection, from its first byte to its last. Its messages are untrusted.
 *
 * A connection must send a hello in time, and nothing before it. Afterwards its messages must be well-formed
 * and within the rates, and it must not be silent for too long. Any violation closes the connection with a
 * code; it is counted and logged, and has no other effect.
 */
import type { Connection, ConnectionEvents, ConnectionRequest } from '../transports/transport.ts';
import { type ClientMessage, readClientMessage } from '../wire/client-message.ts';
import { CloseCode, type CloseReason, FORMAT_VERSION } from '../wire/frame-format.ts';
import { writePong } from '../wire/server-message.ts';
import type { GatewayLimits } from './limits.ts';
import type { Session } from './session.ts';

/** WebSocket's own close code for a protocol violation. */
const PROTOCOL_ERROR = 1002;

export type Hello = Extract<ClientMessage, { kind: 'hello' }>;

/** What a connection needs of its gateway. */
export interface PeerHome {
  readonly limits: GatewayLimits;
  now(): number;
  /** The connection sent a hello. */
  greeted(peer: Peer, hello: Hello): void;
  input(session: Session, payload: Uint8Array, number: number): void;
  /** An input beyond the rate of the session. */
  dropped(session: Session): void;
  /** The client of the session acknowledged a frame for the first time. */
  proven(session: Session): void;
  /** The connection has ended; called once. */
  ended(peer: Peer, why: string): void;
}

export class Peer implements ConnectionEvents {
  readonly request: ConnectionRequest;
  /** The session of the connection, after the admission. */
  session: Session | undefined;
  /** Since when the client has been behind and was sent no frame. */
  behindMs: number | undefined;
  readonly openedMs: number;
  /** Version of the frame format, from the hello. */
  formatVersion: number = FORMAT_VERSION;
  readonly #home: PeerHome;
  readonly #connection: Connection;
  #heardMs: number;
  #hasGreeted = false;
  #isOver = false;

  constructor(home: PeerHome, connection: Connection, request: ConnectionRequest) {
    this.#home = home;
    this.#connection = connection;
    this.request = request;
    this.openedMs = home.now();
    this.#heardMs = this.openedMs;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get bufferedBytes(): number {
    return this.#connection.bufferedBytes;
  }

  received(bytes: Uint8Array): void {
    if (this.#isOver) return;
    const nowMs = this.#home.now();
    this.#heardMs = nowMs;
    // An unauthenticated connection needs no rate limit: it may send one message, and the next one closes it.
    if (this.session?.rates.messages.take(nowMs) === false) {
      this.close('flood');
      return;
    }
    if (bytes.length > this.#home.limits.messageBytesMax) {
      this.close('tooBig');
      return;
    }
    const message = readClientMessage(bytes);
    if (message === undefined) this.close('malformed');
    else if (message.kind === 'other version') this.close('otherVersion');
    else if (message.kind === 'hello') this.#greet(message);
    else if (this.session === undefined) this.close('malformed');
    else this.#take(message, this.session);
  }

  closed(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (code === CloseCode.tooBig) this.#home.ended(this, 'tooBig');
    else this.#home.ended(this, code === PROTOCOL_ERROR ? 'malformed' : 'closed');
  }

  /** Assigns the authenticated connection to a session. */
  admit(session: Session): void {
    this.session = session;
    this.#connection.trust?.();
  }

  send(bytes: Uint8Array): void {
    if (!this.#isOver) this.#connection.send(bytes);
  }

  /** Closes the connection. Idempotent. */
  close(why: CloseReason): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.close(CloseCode[why], why);
    this.#home.ended(this, why);
  }

  /** Closes the connection if it has been silent, or unauthenticated, for too long. */
  watch(nowMs: number): void {
    const { authenticateMs, silenceMs } = this.#home.limits;
    if (this.session === undefined) {
      if (nowMs - this.openedMs >= authenticateMs) this.close('tooLate');
    } else if (nowMs - this.#heardMs >= silenceMs) this.close('silent');
  }

  #greet(hello: Hello): void {
    if (this.#hasGreeted) this.close('malformed');
    else {
      this.#hasGreeted = true;
      this.formatVersion = hello.version;
      // The token is a window on bytes that are valid only during this call.
      this.#home.greeted(this, { ...hello, token: new Uint8Array(hello.token) });
    }
  }

  #take(message: Exclude<ClientMessage, { kind: 'hello' | 'other version' }>, session: Session): void {
    const { rates } = session;
    if (message.kind === 'input') {
      if (rates.inputs.take(this.#heardMs)) this.#home.input(session, message.payload, message.number);
      else this.#home.dropped(session);
    } else if (message.kind === 'ack') this.#acknowledge(session, message.tick);
    else if (rates.pongs.take(this.#heardMs)) this.send(writePong(message.number));
  }

  #acknowledge(session: Session, tick: number): void {
    const { view } = session;
    // An acknowledgement before the first frame, or of a tick that was never sent, does not prove a live client.
    const isSound = view.frameNumber > 0 && tick >= view.ackedTick && tick <= view.lastTick;
    view.acknowledge(tick);
    if (isSound && !session.isProven) this.#home.proven(session);
  }
}
