/**
 * Where each design stops, on paper: what a tick costs the busiest node, by measured constants, and what it must hear.
 *
 *   one process   all moves, all clients, all game code
 *   one log       what is built: all moves heard; clients and game code divided by node
 *   ears          a node hears the tiles within reach of its clients, as docs/internals/cluster.md says; marks order all
 *
 * Two crowds: spread evenly, and with a fifth of all in one spot, which everybody near it must hear. Units: milliseconds of a
 * core a tick, megabytes a second. No queueing, no pauses: where a line meets its limit is a bound, not a promise.
 */
const TICK_MS = 50;
/** A core is full when its tick takes that share of the time between two: the rest is garbage collection and bad luck. */
const FULL = 0.7;
/** 1 Gb/s, less what protocols take. */
const NETWORK_MB = 110;
const BYTES_A_MOVE = 12;
/** One in so many entities has a client. */
const ENTITIES_A_CLIENT = 5;
/** Entities in a square of a side of the reach of a client: 100 shown in a circle of that radius. */
const SHOWN = 100;
const CROWD_SHARE = 0.2;

export interface Constants {
  /** Applying another's move and its part of the tick. */
  readonly moveNs: number;
  /** Perception, encoding and sending for a client. */
  readonly clientUs: number;
  /** Game code of one entity. */
  readonly gameUs: number;
}

/**
 * `moveNs` as it must be, see `npm run fuzz -- cluster-figures`; 15.5 us a client and tick with encoding and sending; 2 us of game
 * code an entity, which is an assumption.
 */
export const COMMITTED: Constants = { moveNs: 40, clientUs: 15.5, gameUs: 2 };

export const DESIGNS = ['one process', 'one log', 'ears'] as const;
export type Design = (typeof DESIGNS)[number];

export interface Load {
  /** Of what a core may spend in a tick; above 1 it does not keep up. */
  readonly core: number;
  /** Of what a network card takes. */
  readonly network: number;
}

/** The busiest node's. `isCrowded`: a fifth of all stand in one spot. */
export function loadOf(
  design: Design,
  movers: number,
  nodes: number,
  isCrowded: boolean,
  constants: Constants,
): Load {
  const { moveNs, clientUs, gameUs } = constants;
  const heard = movers * heardShare(design, movers, nodes, isCrowded);
  // Clients and owned entities go to any node, wherever they stand: the contract's point.
  const parts = design === 'one process' ? 1 : nodes;
  const clients = movers / ENTITIES_A_CLIENT / parts;
  const spentMs = (heard * moveNs) / 1e6 + (clients * clientUs) / 1e3 + ((movers / parts) * gameUs) / 1e3;
  const megabytes = design === 'one process' ? 0 : (heard * BYTES_A_MOVE * (1000 / TICK_MS)) / 1e6;
  return { core: spentMs / (TICK_MS * FULL), network: megabytes / NETWORK_MB };
}

/** Of all moves: those that a node must hear. */
function heardShare(design: Design, movers: number, nodes: number, isCrowded: boolean): number {
  if (design !== 'ears') return 1;
  const spread = isCrowded ? movers * (1 - CROWD_SHARE) : movers;
  // In units of the reach: a circle of it holds SHOWN, so the world has that many squares of it.
  const area = (spread * Math.PI) / SHOWN;
  const side = Math.sqrt(area / nodes);
  const share = Math.min(1, (side + 2) ** 2 / area);
  return isCrowded ? CROWD_SHARE + (1 - CROWD_SHARE) * share : share;
}

/** The most movers that keep up, and what is full then. */
export function limitOf(
  design: Design,
  nodes: number,
  isCrowded: boolean,
  constants: Constants,
): { movers: number; by: 'core' | 'network' } {
  let [low, high] = [1, 1e9];
  while (high / low > 1.001) {
    const middle = Math.sqrt(low * high);
    const { core, network } = loadOf(design, middle, nodes, isCrowded, constants);
    if (Math.max(core, network) > 1) high = middle;
    else low = middle;
  }
  const { core, network } = loadOf(design, high, nodes, isCrowded, constants);
  return { movers: low, by: core >= network ? 'core' : 'network' };
}
