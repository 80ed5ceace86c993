/**
 * The time for each entity by population: a line for each engine, both axes logarithmic. A flat line means that the cost
 * grows with the crowd and no faster. Names are at the lines' right ends, moved apart where they would overlap.
 */
import { count, figure } from './figures.ts';
import { escaped, LogAxis, sideOf } from './markup.ts';

export interface Line {
  readonly engine: string;
  readonly label: string;
  /** By ascending population. */
  readonly points: readonly { readonly entities: number; readonly ns: number }[];
}

const WIDTH = 980;
const HEIGHT = 380;
const LEFT = 80;
const RIGHT = 240;
const TOP = 26;
const BOTTOM = 32;
const NAME_HEIGHT = 16;

export function linePlot(title: string, lines: readonly Line[]): string {
  const points = lines.flatMap((line) => line.points);
  const across = new LogAxis(
    points.map(({ entities }) => entities),
    LEFT,
    WIDTH - RIGHT,
  );
  const up = new LogAxis(
    points.map(({ ns }) => ns),
    HEIGHT - BOTTOM,
    TOP,
  );
  const grid = [
    ...up.decades().map((ns) => {
      const y = up.at(ns);
      return `<path class="grid" d="M${LEFT} ${y}H${WIDTH - RIGHT}"/><text class="tick" x="${LEFT - 8}" y="${y}" dy="0.32em" text-anchor="end">${figure(ns)}</text>`;
    }),
    ...across.decades().map((entities) => {
      const x = across.at(entities);
      return `<path class="grid" d="M${x} ${TOP}V${HEIGHT - BOTTOM}"/><text class="tick" x="${x}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${count(entities)}</text>`;
    }),
  ];
  return [
    `<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><title>${escaped(title)}</title>`,
    `<text class="tick" x="${LEFT}" y="12">ns for an entity and tick</text>`,
    ...grid,
    ...lines.map((line) => drawn(line, across, up)),
    ...names(lines, up),
    '</svg>',
  ].join('\n');
}

function drawn({ engine, points }: Line, across: LogAxis, up: LogAxis): string {
  const places = points.map(({ entities, ns }) => [across.at(entities), up.at(ns)] as const);
  const path = places.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  const dots = places.map(([x, y]) => `<circle class="dot" cx="${x}" cy="${y}" r="3.5"/>`).join('');
  return `<g class="${sideOf(engine)}"><path class="line" d="${path}"/>${dots}</g>`;
}

function names(lines: readonly Line[], up: LogAxis): string[] {
  const ends = lines
    .map((line) => ({ line, y: up.at(line.points.at(-1)?.ns ?? 1) }))
    .sort((one, other) => one.y - other.y);
  let last = TOP - NAME_HEIGHT;
  return ends.map(({ line, y }) => {
    last = Math.max(y, last + NAME_HEIGHT);
    return `<g class="${sideOf(line.engine)}"><text class="name" x="${WIDTH - RIGHT + 12}" y="${last}" dy="0.32em">${escaped(line.label)}</text></g>`;
  });
}
