/** The limits of a WebSocket transport on connections that are not clients yet. */
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, isNumberWithin } from '../bounds/option-keys.ts';

/** Limits on sockets and requests before a client is connected. */
export interface DoorLimits {
  /**
   * Most sockets at once that have not completed the WebSocket handshake. Beyond it, the oldest socket of the
   * address that holds most is destroyed. Default 512. Does not apply to a server of your own.
   */
  readonly halfOpenMax: number;
  /**
   * Time from the connection to a complete HTTP request, in milliseconds; then the socket is destroyed.
   * Default 3,000. Does not apply to a server of your own.
   */
  readonly halfOpenMs: number;
  /**
   * New sockets per second of one address, with a burst of six seconds' worth. Further sockets are destroyed.
   * Default 300.
   */
  readonly socketsPerSecond: number;
  /**
   * Plain HTTP requests per second of one address, with a burst of six seconds' worth. Further requests are
   * answered with 429. Default 10. Does not apply to a server of your own.
   */
  readonly requestsPerSecond: number;
}

const DOOR_LIMITS: DoorLimits = {
  halfOpenMax: 512,
  halfOpenMs: 3000,
  socketsPerSecond: 300,
  requestsPerSecond: 10,
};

/** Burst of the rates, in seconds. */
export const DOOR_SAVED_SECONDS = 6;

/** Throws `BAD_OPTION`. */
export function readDoorLimits(given: Partial<DoorLimits> = {}): DoorLimits {
  checkKeys('limits of WebSocketTransport', given, Object.keys(DOOR_LIMITS));
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || isNumberWithin(value, 1, Number.MAX_SAFE_INTEGER)) continue;
    throw badOption(`limits.${name}`, value, 'a number of at least 1');
  }
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DOOR_LIMITS, ...Object.fromEntries(known) };
}
