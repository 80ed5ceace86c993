/**
 * Queries inside the tick, as game code makes them for skills and for beasts that look around: the entities within 25 to
 * 40 units, and the nearest ones. A thousand players, all of which move, in worlds of different density, against a grid
 * as a game writes it for itself.
 *
 * Both get the same moves and the same queries. The numbers found are added up, and the sums must be equal. In one case
 * all have moved before the first query. In the other each player moves and then queries, so the time includes the moves.
 */
import { Random } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { PlainGrid } from '../engines/plain-grid.ts';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import type { Choice, Suite } from './suite.ts';

const PLAYERS = 1000;
const SEED = 17;
const TICKS = 120;
const SMOKE_TICKS = 8;
const WARM_TICKS = 40;
const RADII = [25, 40] as const;
const NEAREST = 8;
const STEP = 1;
/** The average number of others within 32 units. */
const NEAR = [2, 10, 40];

export const moment: Suite = {
  name: 'moment',
  summary: 'queries for near entities inside the tick, against a hand-written grid',
  cases: (choice) => NEAR.map((near) => momentCase(choice, near)),
};

interface Side {
  move(player: number): void;
  query(player: number, radius: number): number;
  nearest(player: number): number;
}

type Ask = (side: Side, player: number, radius: number) => number;

const WAYS: readonly { label: string; isMoving: boolean; ask: Ask }[] = [
  {
    label: 'query, all have moved',
    isMoving: false,
    ask: (side, player, radius) => side.query(player, radius),
  },
  { label: 'nearest, all have moved', isMoving: false, ask: (side, player) => side.nearest(player) },
  {
    label: 'move and query, in turn',
    isMoving: true,
    ask: (side, player, radius) => side.query(player, radius),
  },
  { label: 'move and nearest, in turn', isMoving: true, ask: (side, player) => side.nearest(player) },
];

function momentCase({ smoke }: Choice, near: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${PLAYERS} players, ${near} within 32 units`,
    measure: (tell) => {
      tell('world and grid, in turn');
      return measured(near, smoke ? SMOKE_TICKS : TICKS);
    },
  };
}

function measured(near: number, ticks: number): GaugeOutcome {
  const extent = Math.sqrt((PLAYERS * Math.PI * 32 ** 2) / near);
  const random = new Random(SEED + near);
  const axis = () => Float32Array.from({ length: PLAYERS }, () => extent * random.unit());
  const [x, y] = [axis(), axis()];
  const world = new World();
  const ids = world.addMany({ x, y, range: 32 });
  const grid = new PlainGrid(PLAYERS, extent, RADII[1]);
  const out = new Uint32Array(PLAYERS);
  const sides: Side[] = [
    {
      move: (player) => world.move(ids[player]!, x[player]!, y[player]!),
      query: (player, radius) =>
        world.queryInto({ kind: 'circle', x: x[player]!, y: y[player]!, radius }, { now: true }, out),
      nearest: (player) =>
        world.nearestInto(x[player]!, y[player]!, NEAREST, { now: true, maxDistance: RADII[1] }, out),
    },
    {
      move: (player) => grid.move(player, x[player]!, y[player]!),
      query: (player, radius) => grid.query(x[player]!, y[player]!, radius, out),
      nearest: (player) => grid.nearest(x[player]!, y[player]!, NEAREST, RADII[1], out),
    },
  ];
  for (let player = 0; player < PLAYERS; player++) sides[1]!.move(player);
  const samples = WAYS.map(() => sides.map(() => [] as number[]));
  const found = WAYS.map(() => sides.map(() => 0));
  for (let tick = -WARM_TICKS; tick < ticks; tick++) {
    for (const [w, { isMoving, ask }] of WAYS.entries()) {
      for (let player = 0; player < PLAYERS; player++) {
        x[player] = Math.min(extent, Math.max(0, x[player]! + STEP * (random.unit() - 0.5)));
        y[player] = Math.min(extent, Math.max(0, y[player]! + STEP * (random.unit() - 0.5)));
      }
      const radius = random.between(...RADII);
      for (const [s, side] of sides.entries()) {
        if (!isMoving) for (let player = 0; player < PLAYERS; player++) side.move(player);
        const beganMs = performance.now();
        let sum = 0;
        for (let player = 0; player < PLAYERS; player++) {
          if (isMoving) side.move(player);
          sum += ask(side, player, radius);
        }
        const tookMs = performance.now() - beganMs;
        found[w]![s]! += sum;
        if (tick >= 0) samples[w]![s]!.push(tookMs);
      }
      world.tick();
    }
  }
  void world.dispose();
  const rows = WAYS.map(({ label }, w) => {
    const [own, plain] = samples[w]!.map((times) => (median(times) * 1000) / PLAYERS) as [number, number];
    const figures = {
      'us a question': own,
      'us, a plain grid': plain,
      'time / grid': own / plain,
      'found a question': found[w]![0]! / PLAYERS / (ticks + WARM_TICKS),
    };
    return { label, figures };
  });
  const problems = WAYS.filter((_, w) => found[w]![0] !== found[w]![1]).map(
    ({ label }, w) => `${label}: found ${found[w]![0]}, a plain grid ${found[w]![1]}`,
  );
  return { rows, problems };
}
