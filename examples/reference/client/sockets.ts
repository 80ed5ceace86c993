// Example of: OpenSocket, SocketEvents, ClientSocket, openWebSocket, FrameError
import {
  type ClientSocket,
  FrameError,
  type OpenSocket,
  openWebSocket,
  type SocketEvents,
  UmweltClient,
} from '@umwelt/client';

// The usual connection, with the address noted.
const addresses: string[] = [];
const noted: OpenSocket = (url, events) => {
  addresses.push(url);
  return openWebSocket(url, events);
};
console.log(typeof noted); // function

// One of your own: anything that carries whole messages in order.
let received: SocketEvents['received'] = () => {};
const sent: Uint8Array[] = [];
const closed: number[] = [];
const own: OpenSocket = (_url, events): ClientSocket => {
  received = events.received;
  queueMicrotask(() => events.opened());
  return { send: (bytes) => sent.push(bytes), close: (code) => closed.push(code) };
};
const errors: unknown[] = [];
const client = new UmweltClient({ url: 'mine:', openSocket: own, onError: (error) => errors.push(error) });
client.connect();
await Promise.resolve();
console.log(sent.length, client.state); // 1 connecting

// Bytes that are no message of the format are a FrameError inside: the client ends the connection and tries again later.
received(Uint8Array.of(255));
console.log(closed.join(), client.state); // 4000 waiting
console.log(errors.some((error) => error instanceof FrameError)); // false
client.close();
