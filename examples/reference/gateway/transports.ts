// Example of: Transport, TransportHost, Connection, ConnectionEvents, ConnectionRequest, RefusalReason, RefusalFacts
import {
  type Connection,
  type ConnectionEvents,
  type ConnectionRequest,
  Gateway,
  type RefusalFacts,
  type RefusalReason,
  type Transport,
  type TransportHost,
} from '@umwelt/gateway';
import { World } from 'umwelt';

/** Anything that carries whole messages in order. Another server, such as uWebSockets.js, passes its sockets to this one. */
class HandedSockets implements Transport {
  #host: TransportHost | undefined;

  async start(host: TransportHost): Promise<void> {
    this.#host = host;
  }

  /** The server has a new socket; `connection` sends on it and closes it. */
  opened(connection: Connection, request: ConnectionRequest): ConnectionEvents | undefined {
    if (this.#host?.mayAccept()) return this.#host.accept(connection, request);
    const why: RefusalReason = 'full';
    const facts: RefusalFacts = { path: request.url };
    this.#host?.refused(why, facts);
    return undefined;
  }

  stop(): void {}

  async close(): Promise<void> {
    this.#host = undefined;
  }
}

const gateway = new Gateway(new World(), {
  tickMs: 50,
  appearance: { positionStep: 0.01 },
  authenticate: () => undefined,
});
const transport = new HandedSockets();
await gateway.listen(transport);

const closed: number[] = [];
const connection: Connection = {
  bufferedBytes: 0,
  send: (bytes) => console.log(bytes.length),
  close: (code) => closed.push(code),
  terminate: () => closed.push(1006),
};
const events = transport.opened(connection, {
  address: '10.0.0.7',
  url: '/',
  origin: undefined,
  headers: {},
});
events?.received(Uint8Array.of(0)); // no hello: closed with 4000
console.log(closed.join()); // 4000
events?.closed(4000);
await gateway.drain();
