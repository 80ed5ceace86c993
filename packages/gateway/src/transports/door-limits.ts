/** What a WebSocket transport takes from the network before anybody has said who they are. */
import { badOption } from '../bounds/bad-option.ts';
import { checkKeys, isNumberWithin } from '../bounds/option-keys.ts';

/** How much a server takes of strangers. */
export interface DoorLimits {
  /**
   * Sockets at once that are no clients yet; with more, the oldest of the address that holds most is cut. 512. Not on a server
   * of your own.
   */
  readonly halfOpenMax: number;
  /** From the connection to a whole request, in milliseconds; then it is cut. 3,000. Not on a server of your own. */
  readonly halfOpenMs: number;
  /** New sockets of one address; those of six seconds at once. More are cut. 300. */
  readonly socketsPerSecond: number;
  /** Plain HTTP requests of one address; those of six seconds at once. More are answered with 429. 10. Not on a server of your own. */
  readonly requestsPerSecond: number;
}

const DOOR_LIMITS: DoorLimits = {
  halfOpenMax: 512,
  halfOpenMs: 3000,
  socketsPerSecond: 300,
  requestsPerSecond: 10,
};

/** What its rates save up, in seconds. */
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
