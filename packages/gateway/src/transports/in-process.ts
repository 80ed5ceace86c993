/**
 * A transport without a network: both ends are in one process, and messages are delivered by `deliver`.
 *
 * For tests, and for games that run without a server. A stalled end reads nothing, and what was sent to it
 * counts as buffered, as with a slow reader on a network.
 */
import type {
  Connection,
  ConnectionEvents,
  ConnectionRequest,
  Transport,
  TransportHost,
} from './transport.ts';

/** Same as the client's `SocketEvents`. */
interface ClientEvents {
  opened(): void;
  received(bytes: Uint8Array): void;
  closed(code: number, reason: string): void;
}

const NO_REQUEST: ConnectionRequest = { address: 'in-process', url: '/', origin: undefined, headers: {} };

/** Connections between a gateway and clients in one process, for tests: bytes wait until `deliver`. */
export class InProcessTransport implements Transport {
  #host: TransportHost | undefined;
  /** The open connections. */
  readonly lines = new Set<InProcessLine>();

  start(host: TransportHost): Promise<void> {
    this.#host = host;
    return Promise.resolve();
  }

  stop(): void {
    this.#host = undefined;
  }

  close(): Promise<void> {
    for (const line of this.lines) line.cut();
    return Promise.resolve();
  }

  /** Usable as the client's option `openSocket`. */
  readonly openSocket = (url: string, events: ClientEvents): InProcessLine =>
    this.open(events, { ...NO_REQUEST, url });

  /** Opens a connection from a client, as if it had sent `request`. */
  open(events: ClientEvents, request: ConnectionRequest = NO_REQUEST): InProcessLine {
    const host = this.#host?.mayAccept() === true ? this.#host : undefined;
    const line = new InProcessLine(events, host, request, () => this.lines.delete(line));
    this.lines.add(line);
    return line;
  }

  /** Delivers everything in transit, and the responses to it, until nothing is left. */
  deliver(): void {
    let wasBusy = true;
    while (wasBusy) {
      wasBusy = false;
      for (const line of [...this.lines]) wasBusy = line.deliver() || wasBusy;
    }
  }
}

/** One connection: the line itself is the client's end, `server` is the server's end. */
export class InProcessLine {
  /** While true, the client reads nothing. */
  stalled = false;
  readonly server: Connection;
  readonly #client: ClientEvents;
  readonly #forget: () => void;
  #gateway: ConnectionEvents | undefined;
  #open: (() => void) | undefined;
  #toClient: Uint8Array[] = [];
  #toServer: Uint8Array[] = [];
  /** Reported to the client after everything before it has been delivered. */
  #clientEnd: { code: number; reason: string } | undefined;
  #serverEnd: number | undefined;

  constructor(
    client: ClientEvents,
    host: TransportHost | undefined,
    request: ConnectionRequest,
    forget: () => void,
  ) {
    this.#client = client;
    this.#forget = forget;
    const line = this;
    this.server = {
      get bufferedBytes(): number {
        return line.#toClient.reduce((sum, { length }) => sum + length, 0);
      },
      send: (bytes) => {
        if (this.#clientEnd === undefined) this.#toClient.push(bytes);
      },
      close: (code, reason) => {
        this.#clientEnd ??= { code, reason };
        // A client that does not read would delay the close forever.
        if (this.stalled) this.#toClient = [];
      },
      terminate: () => this.cut(),
    };
    if (host === undefined) this.#clientEnd = { code: 1006, reason: '' };
    this.#open = () => {
      if (host === undefined) return;
      this.#gateway = host.accept(this.server, request);
      this.#client.opened();
    };
  }

  send(bytes: Uint8Array): void {
    this.#toServer.push(new Uint8Array(bytes));
  }

  close(code: number, _reason: string): void {
    this.#serverEnd ??= code;
  }

  /** Breaks the connection: both ends get `closed`, and everything in transit is lost. */
  cut(): void {
    this.#toClient = [];
    this.#toServer = [];
    this.#clientEnd ??= { code: 1006, reason: '' };
    this.#serverEnd ??= 1006;
  }

  /** Returns whether anything was delivered. */
  deliver(): boolean {
    if (this.#open !== undefined) {
      const open = this.#open;
      this.#open = undefined;
      open();
      return true;
    }
    const inbound = this.#toServer.splice(0);
    for (const bytes of inbound) this.#gateway?.received(bytes);
    const outbound = this.stalled ? [] : this.#toClient.splice(0);
    for (const bytes of outbound) this.#client.received(bytes);
    return this.#deliverEnds() || inbound.length + outbound.length > 0;
  }

  #deliverEnds(): boolean {
    const isOver =
      this.#serverEnd !== undefined || (this.#clientEnd !== undefined && this.#toClient.length === 0);
    if (!isOver) return false;
    this.#forget();
    const end = this.#clientEnd;
    this.#gateway?.closed(this.#serverEnd ?? end?.code ?? 1006);
    if (end !== undefined) this.#client.closed(end.code, end.reason);
    return true;
  }
}
