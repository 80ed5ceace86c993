/**
 * Transports: they carry whole binary messages, in order, between a gateway and its clients.
 *
 * A transport accepts connections and passes each to its host; the host returns the object that receives the
 * connection's events. Neither throws at the other: a broken connection is reported by one `closed`, and by
 * nothing after it.
 */

/** The request that opened a connection. */
export interface ConnectionRequest {
  /** Address of the client, as far as the transport knows it. */
  readonly address: string;
  /** Path and query, such as '/?room=3'. */
  readonly url: string;
  /** The `Origin` header. Browsers set it truthfully; other programs may send anything. */
  readonly origin: string | undefined;
  /** Headers, by name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A connection, as a transport passes it to its host. */
export interface Connection {
  /** Bytes that were sent and have not left this process. */
  readonly bufferedBytes: number;
  /** Sends a binary message. The connection takes over `bytes`: do not change them afterwards. */
  send(bytes: Uint8Array): void;
  /** Sends a text message. Absent if the transport has no text messages. */
  sendText?(text: string): void;
  /**
   * Stops reading until `resume`; data that has already arrived is still delivered. The sender gets
   * back-pressure. Absent if the transport cannot do it.
   */
  pause?(): void;
  /** Continues reading. */
  resume?(): void;
  /**
   * Called when the client is authenticated. Before that, the connection reads no more than a hello needs.
   * Absent if the transport has no such limit.
   */
  trust?(): void;
  /**
   * Starts closing; data that was sent is still delivered if possible. `code` is a WebSocket close code.
   * Idempotent.
   */
  close(code: number, reason: string): void;
  /** Closes the connection at once. Idempotent. */
  terminate(): void;
}

/** The events of a connection, as a transport reports them to its host. */
export interface ConnectionEvents {
  /**
   * A whole message. A text message, where `receivedText` is absent, arrives as zero bytes. `bytes` is valid
   * only during the call.
   */
  received(bytes: Uint8Array): void;
  /** A whole text message. */
  receivedText?(text: string): void;
  /**
   * `code` is 1006 for a broken connection, 1002 for a protocol violation, 1009 for a message that is too
   * long.
   */
  closed(code: number): void;
}

/** The state of a gateway, for health checks. */
export interface GatewayStatus {
  /** Whether it accepts new clients. */
  readonly ready: boolean;
  /** The last published tick. */
  readonly tick: number;
  /** Sessions, including those without a connection that are within their grace time. */
  readonly clients: number;
}

/** Why a connection was refused before it was established. */
export type RefusalReason = 'origin' | 'full' | 'path';

/** Details of a refused request, shortened. */
export interface RefusalFacts {
  /** The origin that the request gave; absent if it gave none. */
  readonly origin?: string;
  /** The path that the request asked for; absent if the path is not the reason. */
  readonly path?: string;
  /** How to change the configuration if the refusal is unwanted; absent where nothing is to be changed. */
  readonly hint?: string;
}

/** The gateway, as a transport sees it. */
export interface TransportHost {
  /** Whether connections are accepted now. */
  mayAccept(): boolean;
  /** Accepts a connection. The events of the connection go to the returned object. */
  accept(connection: Connection, request: ConnectionRequest): ConnectionEvents;
  /** For `/healthz` and `/readyz`. */
  status(): GatewayStatus;
  /** All metrics, in the text format of Prometheus. */
  metrics(): Promise<string>;
  /** Longest message that a client may send, in bytes. */
  readonly messageBytesMax: number;
  /**
   * Most bytes read from a connection before the host trusts it: its hello and the overhead of WebSocket.
   * Default 8,704.
   */
  readonly strangerBytesMax?: number;
  /**
   * Bytes per second read from a connection, with a burst of a sixteenth of a second's worth. No limit unless
   * given.
   */
  readonly receivedBytesPerSecond?: number;
  /** Maximum number of connections at once. */
  readonly connectionsMax: number;
  /** A connection was refused before it was established; `facts` are details for the operator. */
  refused(why: RefusalReason, facts?: RefusalFacts): void;
}

/**
 * A source of connections for a gateway: WebSockets, connections within the process, or a transport of your
 * own.
 */
export interface Transport {
  /** Starts; resolves when connections can arrive. */
  start(host: TransportHost): Promise<void>;
  /** Accepts no more connections; existing connections stay open. */
  stop(): void;
  /** Closes the remaining connections. */
  close(): Promise<void>;
}
