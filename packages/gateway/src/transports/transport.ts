/**
 * What carries whole binary messages, in order, between a gateway and its clients.
 *
 * A transport accepts connections and hands each to its host; the host answers with whom to tell of what comes in. Neither
 * throws at the other: a broken connection is `closed`, once, and nothing after it.
 */

/** How a connection was asked for. */
export interface ConnectionRequest {
  /** Of the other end, as far as it is known. */
  readonly address: string;
  /** Path and query, as '/?room=3'. */
  readonly url: string;
  /** The header of that name; a browser tells the truth. */
  readonly origin: string | undefined;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** One end of a connection, as a transport gives it to its host. */
export interface Connection {
  /** Bytes that were sent and have not left this process. */
  readonly bufferedBytes: number;
  /** The bytes are the connection's from now on. */
  send(bytes: Uint8Array): void;
  /** As a text message. Absent where there is no such thing. */
  sendText?(text: string): void;
  /** Takes in nothing until `resume`, but for what is here already; the other end has to wait. Absent where it cannot. */
  pause?(): void;
  /** Takes in again what comes. */
  resume?(): void;
  /** The host knows whose it is now: until then a connection is read no further than a greeting. Absent where that is no matter. */
  trust?(): void;
  /** Begins the end: what was sent still goes if it can. `code` is a WebSocket close code. Idempotent. */
  close(code: number, reason: string): void;
  /** Ends it at once. Idempotent. */
  terminate(): void;
}

/** What a transport tells its host of a connection. */
export interface ConnectionEvents {
  /** A whole message; text, where `receivedText` is absent, as no bytes at all. The bytes are the receiver's until it returns. */
  received(bytes: Uint8Array): void;
  /** A whole text message. */
  receivedText?(text: string): void;
  /** `code` is 1006 for a connection that broke, 1002 for one that broke the rules, 1009 for a message too long. */
  closed(code: number): void;
}

/** How a gateway is, for those who look after it. */
export interface GatewayStatus {
  /** Takes new clients. */
  readonly ready: boolean;
  /** The last that was published. */
  readonly tick: number;
  /** Sessions that have a connection. */
  readonly clients: number;
}

/** Why a connection was turned away before it was one. */
export type RefusalReason = 'origin' | 'full' | 'path';

/** What was asked for, shortened. */
export interface RefusalFacts {
  /** What it said of itself. */
  readonly origin?: string;
  /** What it asked for. */
  readonly path?: string;
  /** What to do where that is not as it should be. */
  readonly hint?: string;
}

/** What a transport finds in the gateway that it serves. */
export interface TransportHost {
  /** Whether connections are welcome now. */
  mayAccept(): boolean;
  /** Takes a connection; what follows on it goes to what is answered. */
  accept(connection: Connection, request: ConnectionRequest): ConnectionEvents;
  /** For `/healthz` and `/readyz`. */
  status(): GatewayStatus;
  /** In the text format of Prometheus. */
  metrics(): Promise<string>;
  /** Longest message that a client may send, in bytes. */
  readonly messageBytesMax: number;
  /** Bytes that are read of a connection before the host trusts it, its hello and what WebSocket adds; 8,704. */
  readonly strangerBytesMax?: number;
  /** Bytes that are read of a connection, a second; a sixteenth of that at once. Without it, all that come. */
  readonly receivedBytesPerSecond?: number;
  /** Most connections at once. */
  readonly connectionsMax: number;
  /** A connection was turned away before it was one; `facts` say more to those who run the host. */
  refused(why: RefusalReason, facts?: RefusalFacts): void;
}

/** What brings connections to a gateway: WebSockets, a line within the process, one of your own. */
export interface Transport {
  /** Begins; resolves when connections can come. */
  start(host: TransportHost): Promise<void>;
  /** Takes no more connections; those that are stay. */
  stop(): void;
  /** Ends what is left. */
  close(): Promise<void>;
}
