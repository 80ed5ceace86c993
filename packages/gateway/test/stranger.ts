/** A connection to a gateway's stage without a client behind it: whatever a test wants to be said. */
import type { InProcessLine } from '../src/transports/in-process.ts';
import type { ConnectionRequest } from '../src/transports/transport.ts';
import type { GatewayStage } from './gateway-stage.ts';

/** Kind, version, no token, no tick: a length and the credential follow. */
export const HELLO = [1, 2, 0, 0];

export class Stranger {
  readonly line: InProcessLine;
  readonly heard: Uint8Array[] = [];
  closedWith: number | undefined;

  constructor(stage: GatewayStage, address = 'in-process') {
    const request: ConnectionRequest = { address, url: '/', origin: undefined, headers: {} };
    const events = {
      opened: () => {},
      received: (bytes: Uint8Array) => this.heard.push(bytes),
      closed: (code: number) => {
        this.closedWith = code;
      },
    };
    this.line = stage.transport.open(events, request);
    stage.transport.deliver();
  }

  /** Of the session that it was welcomed to. */
  get token(): Uint8Array {
    const welcome = this.heard.findLast(([kind]) => kind === 1);
    if (welcome === undefined) throw new Error('it was not welcomed');
    return welcome.subarray(3, 19);
  }

  say(...bytes: number[]): void {
    this.line.send(Uint8Array.from(bytes));
  }

  /** Hello with a credential of one digit or more. */
  hello(credential: number | string): void {
    const text = [...new TextEncoder().encode(String(credential))];
    this.say(...HELLO, text.length, ...text);
  }

  /** Hello with the token of a session, as one that has nothing. */
  comeBack(token: Uint8Array): void {
    this.say(1, 2, token.length, ...token, 0, 0);
  }
}
