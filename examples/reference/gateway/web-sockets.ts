// Example of: WebSocketTransport, WebSocketTransportOptions, DoorLimits
import { createServer } from 'node:http';
import {
  type DoorLimits,
  Gateway,
  WebSocketTransport,
  type WebSocketTransportOptions,
} from '@umwelt/gateway';
import { World } from 'umwelt';

const gateway = new Gateway(new World(), {
  tickMs: 50,
  appearance: { positionStep: 0.01 },
  authenticate: () => undefined,
});

// A port of its own; metrics and health on a port for the operator. Port 0 takes a free one.
const limits: Partial<DoorLimits> = { socketsPerSecond: 50, halfOpenMs: 2_000 };
const options: WebSocketTransportOptions = {
  port: 0,
  host: '127.0.0.1',
  origins: ['https://play.example'],
  adminPort: 0,
  limits,
};
const transport = new WebSocketTransport(options);
await gateway.listen(transport);
const answer = await fetch(`http://127.0.0.1:${transport.adminPort}/readyz`);
console.log(transport.port > 0, answer.status); // true 200

// Or on a server that you have: express, fastify and Socket.IO go on beside it.
const server = createServer((_request, response) => response.end('the page of the game'));
await gateway.listen(new WebSocketTransport({ server, path: '/play' }));
await gateway.drain();
server.close();
