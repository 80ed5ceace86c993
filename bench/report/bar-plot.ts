/**
 * One race as a picture: for each engine a bar to the median tick and a line to the 99th percentile. The axis is
 * logarithmic, because the ratios between engines matter.
 */
import type { RaceRow } from '../measure/race.ts';
import { figure, times } from './figures.ts';
import { escaped, LogAxis, pixel, sideOf } from './markup.ts';

const WIDTH = 980;
const LEFT = 250;
const RIGHT = 190;
const TOP = 8;
const ROW_HEIGHT = 26;
const BAR_HEIGHT = 14;
const AXIS_HEIGHT = 24;

export function barPlot(title: string, rows: readonly RaceRow[]): string {
  const bottom = TOP + rows.length * ROW_HEIGHT;
  const axis = new LogAxis(
    rows.flatMap(({ medianMs, p99Ms }) => [medianMs, p99Ms]),
    LEFT,
    WIDTH - RIGHT,
  );
  const grid = axis.decades().map((value) => {
    const x = axis.at(value);
    return `<path class="grid" d="M${x} ${TOP}V${bottom}"/><text class="tick" x="${x}" y="${bottom + 16}" text-anchor="middle">${figure(value)} ms</text>`;
  });
  return [
    `<svg class="plot" viewBox="0 0 ${WIDTH} ${bottom + AXIS_HEIGHT}" role="img"><title>${escaped(title)}</title>`,
    ...grid,
    ...rows.map((row, i) => bar(row, i, axis)),
    '</svg>',
  ].join('\n');
}

function bar(row: RaceRow, index: number, axis: LogAxis): string {
  const middle = TOP + (index + 0.5) * ROW_HEIGHT;
  const end = axis.at(row.medianMs);
  const late = axis.at(row.p99Ms);
  const against = index === 0 ? '' : `, ${times(row.ratio.median)}`;
  return [
    `<g class="${sideOf(row.engine)}">`,
    `<text class="name" x="${LEFT - 10}" y="${middle}" dy="0.32em" text-anchor="end">${escaped(row.label)}</text>`,
    `<rect class="bar" x="${LEFT}" y="${middle - BAR_HEIGHT / 2}" width="${pixel(Math.max(1, end - LEFT))}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<path class="late" d="M${end} ${middle}H${late}M${late} ${middle - 4}V${middle + 4}"/>`,
    `<text class="value" x="${late + 8}" y="${middle}" dy="0.32em">${figure(row.medianMs)} ms${against}</text>`,
    '</g>',
  ].join('');
}
