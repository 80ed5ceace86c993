/**
 * A row of small plots with a common vertical axis, as SVG.
 *
 * Both axes are logarithmic. Lines are labelled at their ends: beside the last panel, or inside a panel if a line ends early
 * because its contender was skipped from there on. Overlapping labels are moved apart, with a thin leader line. Text and lines
 * take their colours from the page or, in a separate file, from the picture's own style.
 */
import { LogScale } from './log-scale.ts';
import { coordinate as at, escaped } from './markup.ts';
import { markShape, styleOf } from './series-style.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Line {
  /** The contender, which determines colour and mark. */
  readonly contender: string;
  /** Label at its end. */
  readonly label: string;
  /** By ascending x. */
  readonly points: readonly Point[];
}

export interface Panel {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A straight line in both logarithms, for orientation: y = factor * x ^ power. */
export interface Guide {
  readonly factor: number;
  readonly power: number;
}

export interface PanelRow {
  /** Text alternative of the picture. */
  readonly summary: string;
  readonly xTitle: string;
  readonly yTitle: string;
  readonly panels: readonly Panel[];
  readonly xText: (value: number) => string;
  readonly yText: (value: number) => string;
  /** A second label for each x: cells per entity for entities per cell. */
  readonly secondX?: { readonly title: string; readonly text: (value: number) => string };
  readonly guide?: Guide;
  /** The line that is emphasised. */
  readonly emphasis?: string | undefined;
  /** In pixels; absent: the page's width. */
  readonly width?: number;
}

const FULL_WIDTH = 1080;
const LEFT = 64;
const RIGHT = 176;
const TOP = 46;
const PANEL_HEIGHT = 250;
const GAP = 26;
const LABEL_HEIGHT = 15;

export function panelRow(row: PanelRow): string {
  const { width = FULL_WIDTH } = row;
  const bottom = TOP + PANEL_HEIGHT;
  const height = bottom + (row.secondX === undefined ? 26 : 42);
  const count = Math.max(1, row.panels.length);
  const panelWidth = (width - LEFT - RIGHT - GAP * (count - 1)) / count;
  const all = row.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points));
  const yScale = new LogScale(
    all.map(({ y }) => y),
    bottom,
    TOP,
  );
  const drawn = row.panels.map((panel, i) => {
    const from = LEFT + i * (panelWidth + GAP);
    const xScale = xScaleOf(row, panelWidth, i);
    return panelMarkup(row, panel, { xScale, yScale, from, to: from + panelWidth, isFirst: i === 0 });
  });
  const last = row.panels.at(-1);
  return [
    `<svg class="plot" viewBox="0 0 ${width} ${height}" role="img" xmlns="http://www.w3.org/2000/svg">`,
    `<title>${escaped(row.summary)}</title>`,
    `<text class="axis-title" x="${LEFT}" y="14">${escaped(row.yTitle)}</text>`,
    ...drawn,
    last === undefined ? '' : endLabels(row, last, { xScale: xScaleOf(row, panelWidth, count - 1), yScale }),
    axisTitles(row, bottom),
    '</svg>',
  ].join('\n');
}

/** The same scale for all panels of the row, each at its place. */
function xScaleOf({ panels }: PanelRow, panelWidth: number, place: number): LogScale {
  const from = LEFT + place * (panelWidth + GAP);
  const values = panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ x }) => x)));
  return new LogScale(values, from, from + panelWidth);
}

interface Frame {
  readonly xScale: LogScale;
  readonly yScale: LogScale;
  readonly from: number;
  readonly to: number;
  readonly isFirst: boolean;
}

function panelMarkup(row: PanelRow, panel: Panel, frame: Frame): string {
  const { from, xScale, yScale } = frame;
  const maxX = Math.max(
    ...row.panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ x }) => x))),
  );
  // The emphasised line is drawn last, on top.
  const lines = [...panel.lines].sort(
    (one, other) => Number(one.contender === row.emphasis) - Number(other.contender === row.emphasis),
  );
  return [
    `<text class="panel-title" x="${at(from)}" y="${TOP - 10}">${escaped(panel.title)}</text>`,
    grid(row, frame),
    row.guide === undefined ? '' : guideMarkup(row.guide, frame),
    ...lines.map((line) => lineMarkup(line, xScale, yScale, line.contender === row.emphasis)),
    ...panel.lines.map((line) => earlyLabel(line, maxX, xScale, yScale)),
  ].join('\n');
}

function grid(row: PanelRow, { xScale, yScale, from, to, isFirst }: Frame): string {
  const bottom = TOP + PANEL_HEIGHT;
  const marks: string[] = [];
  for (const { value, isLabelled } of yScale.ticks()) {
    const y = at(yScale.at(value));
    marks.push(`<path class="grid" d="M${at(from)} ${y}H${at(to)}"/>`);
    if (isFirst && isLabelled) {
      marks.push(
        `<text class="tick" x="${at(from - 8)}" y="${y}" dy="0.32em" text-anchor="end">${escaped(row.yText(value))}</text>`,
      );
    }
  }
  for (const { value, isLabelled } of xScale.ticks()) {
    const x = at(xScale.at(value));
    marks.push(`<path class="grid" d="M${x} ${TOP}V${bottom}"/>`);
    if (!isLabelled) continue;
    marks.push(
      `<text class="tick" x="${x}" y="${bottom + 16}" text-anchor="middle">${escaped(row.xText(value))}</text>`,
    );
    if (row.secondX !== undefined) {
      marks.push(
        `<text class="tick second" x="${x}" y="${bottom + 31}" text-anchor="middle">${escaped(row.secondX.text(value))}</text>`,
      );
    }
  }
  marks.push(`<path class="axis" d="M${at(from)} ${bottom}H${at(to)}"/>`);
  return marks.join('\n');
}

function axisTitles({ xTitle, secondX, width = FULL_WIDTH }: PanelRow, bottom: number): string {
  const y = bottom + 16;
  const x = width - RIGHT + 14;
  const first = `<text class="axis-title" x="${x}" y="${y}">${escaped(xTitle)}</text>`;
  if (secondX === undefined) return first;
  return `${first}\n<text class="axis-title second" x="${x}" y="${y + 15}">${escaped(secondX.title)}</text>`;
}

function lineMarkup(line: Line, xScale: LogScale, yScale: LogScale, isEmphasised: boolean): string {
  const { colour, mark, isDashed } = styleOf(line.contender);
  const places = line.points.map(({ x, y }) => [xScale.at(x), yScale.at(y)] as const);
  const path = places.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${at(x)} ${at(y)}`).join('');
  const classes = ['line', ...(isDashed ? ['dashed'] : []), ...(isEmphasised ? ['strong'] : [])].join(' ');
  return [
    `<g class="${colour}">`,
    `<path class="${classes}" d="${path}"/>`,
    ...places.map(([x, y]) => `<g class="mark">${markShape(mark, x, y)}</g>`),
    '</g>',
  ].join('');
}

/** The label of a line that ends before the others, at its end. */
function earlyLabel(line: Line, maxX: number, xScale: LogScale, yScale: LogScale): string {
  const last = line.points.at(-1);
  if (last === undefined || last.x >= maxX) return '';
  const { colour } = styleOf(line.contender);
  const x = at(xScale.at(last.x) + 9);
  const y = at(yScale.at(last.y));
  return `<text class="name ${colour}" x="${x}" y="${y}" dy="0.32em">${escaped(line.label)}</text>`;
}

/** The labels beside the last panel, moved apart. */
function endLabels(
  { panels, emphasis, width = FULL_WIDTH }: PanelRow,
  panel: Panel,
  { xScale, yScale }: Pick<Frame, 'xScale' | 'yScale'>,
): string {
  const maxX = Math.max(
    ...panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ x }) => x))),
  );
  const ends = panel.lines
    .flatMap((line) => {
      const last = line.points.at(-1);
      return last === undefined || last.x < maxX ? [] : [{ line, end: yScale.at(last.y) }];
    })
    .sort((one, other) => one.end - other.end);
  const places = apart(
    ends.map(({ end }) => end),
    TOP + 4,
    TOP + PANEL_HEIGHT - 4,
  );
  const x = width - RIGHT;
  const endX = xScale.at(maxX) + 6;
  return ends
    .map(({ line, end }, i) => {
      const y = places[i] as number;
      const { colour } = styleOf(line.contender);
      const weight = line.contender === emphasis ? ' strong' : '';
      return `<path class="leader ${colour}" d="M${at(endX)} ${at(end)}L${at(x + 10)} ${at(y)}"/><text class="name ${colour}${weight}" x="${x + 14}" y="${at(y)}" dy="0.32em">${escaped(line.label)}</text>`;
    })
    .join('\n');
}

/** Ascending positions at least a line's height apart, each as close as possible to the wanted one. */
export function apart(wanted: readonly number[], min: number, max: number): number[] {
  const places = wanted.map((place) => Math.max(place, min));
  for (let i = 1; i < places.length; i++) {
    places[i] = Math.max(places[i] as number, (places[i - 1] as number) + LABEL_HEIGHT);
  }
  let limit = max;
  for (let i = places.length - 1; i >= 0; i--) {
    places[i] = Math.min(places[i] as number, limit);
    limit = (places[i] as number) - LABEL_HEIGHT;
  }
  return places;
}

/** The part of the guide inside the panel. */
function guideMarkup({ factor, power }: Guide, frame: Frame): string {
  const { xScale, yScale, from, to } = frame;
  const inside: [number, number][] = [];
  const steps = 200;
  for (let i = 0; i <= steps; i++) {
    const x = from + ((to - from) * i) / steps;
    const y = yScale.at(factor * xScale.valueAt(x) ** power);
    if (y >= TOP && y <= TOP + PANEL_HEIGHT) inside.push([x, y]);
  }
  const first = inside[0];
  const last = inside.at(-1);
  if (first === undefined || last === undefined || last[0] - first[0] < 20) return '';
  return `<path class="guide" d="M${at(first[0])} ${at(first[1])}L${at(last[0])} ${at(last[1])}"/>`;
}
