/**
 * The world's figures: the present value of each, and its last minute as a line.
 *
 * Four uPlot charts with a common time axis and cursor. They are redrawn at most four times per second, from columns that the
 * history keeps, and rebuilt when the theme changes.
 */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import type { Explorer } from '../explorer.ts';
import { compact, measured, whole } from '../figures.ts';
import type { HistoryColumns } from '../history.ts';
import { PALETTES, type Palette } from '../palette.ts';
import { usePart } from '../store.ts';

const CHART_HEIGHT = 44;
const DRAW_MS = 250;
const WINDOW_SECONDS = 60;

interface ChartProps {
  explorer: Explorer;
  /** Oldest value first; the first line is drawn over a filled area, the second fainter. */
  lines(columns: HistoryColumns): number[][];
  /** Upper limit: drawn as a line across; values above it have another colour. */
  limit?: number;
  colour(palette: Palette): string;
  format(value: number): string;
  label: string;
}

function chartOptions(props: ChartProps, palette: Palette, width: number): uPlot.Options {
  const colour = props.colour(palette);
  const lineCount = props.lines(props.explorer.intake.history.columns).length;
  const series: uPlot.Series[] = [
    {},
    { stroke: colour, fill: `${colour}22`, width: 1.6, points: { show: false } },
  ];
  if (lineCount > 1) series.push({ stroke: `${colour}66`, width: 1, points: { show: false } });
  if (props.limit !== undefined)
    series.push({ stroke: palette.over, width: 2, points: { size: 3, fill: palette.over } });
  return {
    width,
    height: CHART_HEIGHT,
    padding: [4, 0, 2, 0],
    legend: { show: false },
    cursor: { sync: { key: 'umwelt' }, y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: {
        time: false,
        range: (_, __, max) => [max - WINDOW_SECONDS, max],
      },
      y: { range: (_, __, max) => [0, Math.max(max * 1.15, 1e-3)] },
    },
    axes: [{ show: false }, { show: false }],
    series,
  };
}

/** A dashed line across, if it is in view. */
function drawLimit(
  { ctx, bbox, valToPos, scales }: uPlot,
  limit: number | undefined,
  palette: Palette,
): void {
  if (limit === undefined || limit > (scales.y?.max ?? 0)) return;
  const y = Math.round(valToPos(limit, 'y', true)) + 0.5;
  ctx.save();
  ctx.strokeStyle = palette.over;
  ctx.globalAlpha = 0.8;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

function Chart(props: ChartProps) {
  const { explorer } = props;
  const theme = usePart(explorer.store, (state) => state.theme);
  const box = useRef<HTMLDivElement>(null);
  const readout = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const options = chartOptions(props, PALETTES[theme], element.clientWidth);
    const { columns } = explorer.intake.history;
    const data = (): uPlot.AlignedData => {
      const lines = props.lines(columns);
      const { limit } = props;
      if (limit === undefined) return [columns.time, ...lines];
      return [columns.time, ...lines, (lines.at(-1) ?? []).map((value) => (value > limit ? value : null))];
    };
    options.hooks = {
      draw: [(chart) => drawLimit(chart, props.limit, PALETTES[theme])],
      setCursor: [
        (chart) => {
          const index = chart.cursor.idx;
          const value = index === null || index === undefined ? undefined : props.lines(columns)[0]?.[index];
          if (readout.current !== null)
            readout.current.textContent = value === undefined ? '' : props.format(value);
        },
      ],
    };
    const chart = new uPlot(options, data(), element);
    const timer = setInterval(() => chart.setData(data()), DRAW_MS);
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: CHART_HEIGHT }),
    );
    observer.observe(element);
    return () => {
      clearInterval(timer);
      observer.disconnect();
      chart.destroy();
    };
  }, [theme, props.limit]);
  return (
    <div class="chart">
      <span class="readout" ref={readout} aria-hidden="true" />
      <div class="plot" ref={box} role="img" aria-label={`${props.label}, the last minute`} />
    </div>
  );
}

export function Charts({ explorer }: { explorer: Explorer }) {
  const { store } = explorer;
  const entityCount = usePart(store, (state) => state.entityCount);
  const watcherCount = usePart(store, (state) => state.watcherCount);
  const relations = usePart(store, (state) => state.relations);
  const lingering = usePart(store, (state) => state.lingering);
  const waiting = usePart(store, (state) => state.waiting);
  const tickMs = usePart(store, (state) => state.tickMs);
  const churn = usePart(store, (state) => state.churn);
  const eventsPerSecond = usePart(store, (state) => state.eventsPerSecond);
  const tickSeconds = usePart(store, (state) => state.greeting?.tickSeconds ?? 0.05);
  const budgetMs = tickSeconds * 1000;
  const share = (tickMs / budgetMs) * 100;
  const overCount = usePart(store, (state) => state.ticksOver);
  return (
    <section class="charts" aria-label="Figures">
      <figure>
        <figcaption>
          <span class="label">Entities</span>
          <span class="value" data-figure="entities">
            {whole(entityCount)}
          </span>
          <span class="note">
            {compact(watcherCount)} watching · <span data-figure="relations">{compact(relations)}</span>{' '}
            {relations === 1 ? 'relation' : 'relations'}
            {lingering > 0 && (
              <>
                , <span data-figure="lingering">{compact(lingering)}</span> linger
              </>
            )}
            {waiting > 0 && (
              <>
                {' '}
                · <span data-figure="waiting">{compact(waiting)}</span> wait
              </>
            )}
          </span>
        </figcaption>
        <Chart
          explorer={explorer}
          label="Entities"
          lines={(c) => [c.entities]}
          colour={(p) => p.inkSoft}
          format={whole}
        />
      </figure>
      <figure data-budget={share > 100 ? 'over' : share > 50 ? 'near' : 'within'}>
        <figcaption>
          <span class="label">Tick</span>
          <span class="value" data-figure="tick-ms">
            {tickMs.toFixed(tickMs < 10 ? 2 : 1)}
            <small>ms</small>
          </span>
          <span class="note">
            {share < 1 ? '< 1' : share.toFixed(0)} % of the {measured(budgetMs)} ms between ticks
            {overCount > 0 && (
              <b class="over" data-figure="ticks-over">
                {' '}
                · {whole(overCount)} {overCount === 1 ? 'tick' : 'ticks'} over it
              </b>
            )}
          </span>
        </figcaption>
        <Chart
          explorer={explorer}
          label="Tick time in milliseconds"
          lines={(c) => [c.tickMsMean, c.tickMsMax]}
          limit={budgetMs}
          colour={(p) => p.accent}
          format={(value) => `${value.toFixed(2)} ms`}
        />
      </figure>
      <figure>
        <figcaption>
          <span class="label">Events</span>
          <span class="value" data-figure="events">
            {compact(eventsPerSecond)}
            <small>/s</small>
          </span>
          <span class="note">enter, leave and sense</span>
        </figcaption>
        <Chart
          explorer={explorer}
          label="Events per second"
          lines={(c) => [c.eventsPerSecond]}
          colour={(p) => p.kinds[1] as string}
          format={(value) => `${compact(value)}/s`}
        />
      </figure>
      <figure>
        <figcaption>
          <span class="label">Churn</span>
          <span class="value" data-figure="churn">
            {measured(churn)}
          </span>
          <span class="note">relations changed per watcher and tick</span>
        </figcaption>
        <Chart
          explorer={explorer}
          label="Relations changed per watcher and tick"
          lines={(c) => [c.churn]}
          colour={(p) => p.leave}
          format={measured}
        />
        <div class="time-axis" aria-hidden="true">
          <span>−60 s</span>
          <span>−30 s</span>
          <span>now</span>
        </div>
      </figure>
    </section>
  );
}
