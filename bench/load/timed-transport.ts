/**
 * Wraps a transport and adds up how long sending takes: what a frame costs the sockets, separate from what it costs to
 * write.
 */
import type { Connection, Transport, TransportHost } from '@umwelt/gateway';

export class TimedTransport implements Transport {
  /** Milliseconds in `Connection.send`, by the machine's clock. */
  sendMs = 0;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  start(host: TransportHost): Promise<void> {
    return this.#inner.start({
      ...host,
      accept: (connection, request) => host.accept(this.#timed(connection), request),
    });
  }

  stop(): void {
    this.#inner.stop();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #timed(connection: Connection): Connection {
    return {
      get bufferedBytes() {
        return connection.bufferedBytes;
      },
      send: (bytes) => {
        const startMs = performance.now();
        connection.send(bytes);
        this.sendMs += performance.now() - startMs;
      },
      trust: () => connection.trust?.(),
      close: (code, reason) => connection.close(code, reason),
      terminate: () => connection.terminate(),
    };
  }
}
