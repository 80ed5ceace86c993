/** What the processes of an endurance run say to each other; bytes go as they are (serialization 'advanced'). */

/** All that a town is, for the process that goes on with it. */
export interface SavedTown {
  readonly world: Uint8Array;
  readonly gateway: Uint8Array;
  /** By entity, radians. */
  readonly headings: ReadonlyMap<number, number>;
  /** By player's number. */
  readonly bodies: ReadonlyMap<number, number>;
}

/** Bytes, after a collection of garbage. */
export interface HeldMemory {
  readonly kind: 'memory';
  readonly rss: number;
  /** In JavaScript's heap and in buffers. */
  readonly held: number;
}

/** What a client sees, or should, as a number: whose by client, at which tick. */
export interface Sighting {
  readonly client: number;
  readonly tick: number;
  readonly sum: number;
}

export type ServerOrder =
  | {
      readonly kind: 'begin';
      readonly port: number;
      readonly clients: number;
      readonly tickMs: number;
      readonly saved: SavedTown | undefined;
    }
  /** To keep what each client should see at some ticks to come; answered with 'sampling', and when they are over with 'sightings'. */
  | { readonly kind: 'sample' }
  /** Nobody moves, comes, goes or changes any more. */
  | { readonly kind: 'freeze' }
  /** Answered with 'saved'; the process ends by itself. */
  | { readonly kind: 'save' }
  | { readonly kind: 'memory' };

export type CrowdOrder =
  | { readonly kind: 'join'; readonly url: string; readonly clients: number }
  /** Whether connections are cut and stalled from now on. */
  | { readonly kind: 'storm'; readonly isOn: boolean }
  /** To sum mirrors up at these ticks. */
  | { readonly kind: 'sample'; readonly ticks: readonly number[] }
  /** For tests: one of a mirror's entities is taken away. */
  | { readonly kind: 'spoil' }
  /** Answered with 'status'. */
  | { readonly kind: 'status' }
  | { readonly kind: 'memory' };

export type Answer =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'sampling'; readonly ticks: readonly number[] }
  | { readonly kind: 'sightings'; readonly sightings: readonly Sighting[] }
  | { readonly kind: 'saved'; readonly town: SavedTown }
  | CrowdStatus
  | HeldMemory;

export interface CrowdStatus {
  readonly kind: 'status';
  /** Clients that have a connection and a frame by it. */
  readonly open: number;
  readonly frames: number;
  readonly cuts: number;
  readonly stalls: number;
  /** Connections that came back, by what the welcome said: that the session goes on, or is a new one. */
  readonly resumed: number;
  readonly begunAnew: number;
  /** Of what was to be sampled, so far. */
  readonly sightings: readonly Sighting[];
}

/** Seconds from one cut to the next, of a client in a storm, on average. */
export const BETWEEN_CUTS = 40;

/** A player's credential; who else asks is turned away. */
export function playerNumber(credential: string): number | undefined {
  const digits = /^player (\d{1,6})$/.exec(credential)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** World units; a power of two, so that whole steps are exact. */
export const POSITION_STEP = 1 / 64;

/** What one entity adds to the sum of all that a client sees, modulo 2^32. */
export function sightingOf(id: number, x: number, y: number, health: number, name: string): number {
  let hash = Math.imul(id ^ 0x9e3779b9, 0x85ebca6b);
  const mix = (value: number): void => {
    hash = Math.imul(hash ^ (hash >>> 15) ^ value, 0xc2b2ae35);
  };
  mix(Math.floor(x / POSITION_STEP + 0.5));
  mix(Math.floor(y / POSITION_STEP + 0.5));
  mix(health);
  for (let i = 0; i < name.length; i++) mix(name.charCodeAt(i));
  return (hash ^ (hash >>> 16)) >>> 0;
}
