/** What the page of the browser's test is given: the SDK as it is, and the client's plug-in. */
export { Client, type Room } from '@colyseus/sdk';
export { perceive } from '../src/client.ts';
