/**
 * The plots of a comparison, each made from its rows alone.
 *
 * Times and bytes are shown per entity, so that proportional growth is a flat line. A skipped contender has no point; its line
 * ends where it was last measured.
 */
import { fullCount } from '../../numbers.ts';
import { comparableCrowds, LIST, PLAIN_LIST } from '../claims/density-claims.ts';
import { eagerBytes } from '../claims/memory-claims.ts';
import type { Crowd } from '../comparison.ts';
import { FIGURES, type FigureName } from '../figure.ts';
import type { Results } from '../results.ts';
import { axisBytes, axisCount, axisNumber, axisTime } from './axis-text.ts';
import type { Guide, Line, Panel, PanelRow } from './line-panels.ts';

export interface Plot {
  /** For files and anchors. */
  readonly name: string;
  readonly title: string;
  readonly caption: string;
  readonly row: PanelRow;
}

/** Period of a server with twenty ticks per second, in milliseconds. */
const SERVER_TICK_MS = 50;

/** Growing crowds: a row of panels per figure, a panel per scenario. */
export function populationPlots(results: Results, emphasis: string | undefined): Plot[] {
  const figurePlots = (
    [
      ['allMoving', 'a flat line is proportional to the crowd'],
      [
        'fewMoving',
        'a flat line is proportional to the crowd; detectors whose cost follows only the moving entities are lower',
      ],
      ['add', 'the first report lists all markers in range of each watcher'],
      ['remove', 'no watcher is left to report to'],
    ] as const
  ).map(([figure, remark]) => figurePlot(results, figure, remark, emphasis));
  return [...figurePlots, comesPlot(results, emphasis), memoryPlot(results, emphasis)].filter(hasPoints);
}

function figurePlot(
  results: Results,
  figure: FigureName,
  remark: string,
  emphasis: string | undefined,
): Plot {
  const { title, when } = FIGURES[figure];
  const isTick = figure === 'allMoving' || figure === 'fewMoving';
  const guide: Guide = { factor: SERVER_TICK_MS, power: -1 };
  return {
    name: `population-${kebab(figure)}`,
    title,
    caption: `Time per entity when ${when}; ${remark}.${isTick ? ` Above the dotted line a tick takes longer than ${SERVER_TICK_MS} ms.` : ''}`,
    row: {
      summary: `${title}: time per entity over the size of the crowd`,
      xTitle: 'entities',
      yTitle: 'time per entity',
      panels: populationPanels(results, (crowd, contender) => {
        const ms = results.ms(crowd, contender, figure);
        return ms === undefined ? undefined : ms / crowd.entities;
      }),
      xText: axisCount,
      yText: axisTime,
      ...(isTick ? { guide } : {}),
      emphasis,
    },
  };
}

function comesPlot(results: Results, emphasis: string | undefined): Plot {
  return {
    name: 'population-comes',
    title: 'Adding one',
    caption: `Total time when ${FIGURES.comes.when}; a flat line is independent of the crowd.`,
    row: {
      summary: 'Adding one: time of its tick over the size of the crowd',
      xTitle: 'entities',
      yTitle: 'total time',
      panels: populationPanels(results, (crowd, contender) => results.ms(crowd, contender, 'comes')),
      xText: axisCount,
      yText: axisTime,
      emphasis,
    },
  };
}

function memoryPlot(results: Results, emphasis: string | undefined): Plot {
  return {
    name: 'population-memory',
    title: 'Memory',
    caption:
      'Bytes per entity of the whole world: the state of all entities, the buffers of its reports and the detector’s own structures; measured while all entities move.',
    row: {
      summary: 'Memory: bytes per entity over the size of the crowd',
      xTitle: 'entities',
      yTitle: 'bytes per entity',
      panels: populationPanels(results, (crowd, contender) => {
        const bytes = results.row(crowd, contender)?.memoryBytes;
        return bytes === undefined ? undefined : bytes / crowd.entities;
      }),
      xText: axisCount,
      yText: axisBytes,
      emphasis,
    },
  };
}

function populationPanels(
  results: Results,
  value: (crowd: Crowd, contender: string) => number | undefined,
): Panel[] {
  return results.scenarios('population').map((scenario) => {
    const crowds = results.crowds('population', scenario);
    const title = scenario === 'trace' ? 'The recording' : (crowds[0]?.title ?? scenario);
    return { title, lines: linesOf(results, crowds, (crowd) => crowd.entities, value) };
  });
}

/** The same crowd at growing density. */
export function densityPlots(results: Results, emphasis: string | undefined): Plot[] {
  const crowds = results.crowds('density');
  const perEntity = (figure: FigureName) => (crowd: Crowd, contender: string) => {
    const ms = results.ms(crowd, contender, figure);
    return ms === undefined ? undefined : ms / crowd.entities;
  };
  const figures = ['allMoving', 'add', 'remove'] as const;
  const entities = fullCount(crowds[0]?.entities ?? 0);
  const plot: Plot = {
    name: 'density',
    title: 'The same crowd, closer together',
    caption: `${entities} entities on smaller and smaller maps. The axis shows entities per cell as wide as the range, and cells per entity.`,
    row: {
      ...densityAxes,
      summary: 'Time per entity over density',
      yTitle: 'time per entity',
      panels: figures.map((figure) => ({
        title: FIGURES[figure].title,
        lines: linesOf(results, crowds, (crowd) => crowd.entitiesPerCell, perEntity(figure)),
      })),
      yText: axisTime,
      emphasis,
    },
  };
  return [plot, listAgainstGrid(results)].filter(hasPoints);
}

const densityAxes = {
  xTitle: 'entities per cell',
  xText: axisNumber,
  secondX: { title: 'cells per entity', text: (value: number) => axisNumber(1 / value) },
} as const;

function listAgainstGrid(results: Results): Plot {
  const crowds = comparableCrowds(results);
  const figures = ['allMoving', 'add', 'remove', 'comes'] as const;
  const lists = [LIST, PLAIN_LIST].filter((list) => results.contenders(crowds).includes(list));
  return {
    name: 'list-against-grid',
    title: 'List against grid',
    caption:
      'Time of a cross list as a multiple of a nine-grid’s. Above the dotted line the grid wins; a rise to the right supports the claim “the denser, the more the grid wins”.',
    row: {
      ...densityAxes,
      summary: 'Ratio of cross list to nine-grid over density',
      yTitle: 'times as long as the nine-grid',
      panels: figures.map((figure) => ({
        title: FIGURES[figure].title,
        lines: lists.map((list) =>
          lineOf(
            list,
            crowds,
            (crowd) => crowd.entitiesPerCell,
            (crowd) => results.ratio(crowd, list, 'nine-grid', figure),
          ),
        ),
      })),
      yText: axisNumber,
      guide: { factor: 1, power: 0 },
    },
  };
}

/** Plots for the claims, besides the rows. */
export function claimPlots(results: Results, emphasis: string | undefined): Plot[] {
  return [...mapPlots(results, emphasis), insertionPlot(results)].filter(hasPoints);
}

/** New entities in crowds without watchers. */
function insertionPlot(results: Results): Plot {
  const crowds = results.crowds('insertion');
  return {
    name: 'insertion',
    title: 'Adding one without watchers',
    caption:
      'Time of an add and its tick, which only has to find the place; a flat line is independent of the crowd.',
    row: {
      summary: 'Adding one without watchers: time of its tick over the size of the crowd',
      xTitle: 'entities',
      yTitle: 'total time',
      width: 520,
      panels: [
        {
          title: FIGURES.comes.title,
          lines: linesOf(
            results,
            crowds,
            (crowd) => crowd.entities,
            (crowd, contender) => results.ms(crowd, contender, 'comes'),
          ),
        },
      ],
      xText: axisCount,
      yText: axisTime,
      emphasis: PLAIN_LIST,
    },
  };
}

/** Growing maps: the time of the same villages, and the memory for a hundred people. */
function mapPlots(results: Results, emphasis: string | undefined): Plot[] {
  const villages = results.crowds('map');
  const few = results.crowds('empty-map');
  const width = (crowd: Crowd) => crowd.mapWidth;
  const memory = (contender: string) =>
    lineOf(contender, few, width, (crowd) => results.row(crowd, contender)?.memoryBytes);
  const computed: Line = {
    contender: 'nine-grid at once',
    label: 'all cells at once',
    points: few.map((crowd) => ({ x: width(crowd), y: eagerBytes(crowd) })),
  };
  const measured = ['nine-grid', 'cross-list', 'sweep'].filter((name) =>
    results.contenders(few).includes(name),
  );
  const common = { xTitle: 'map width', xText: axisCount, width: 520 };
  return [
    {
      name: 'map-time',
      title: 'The same villages, farther apart',
      caption:
        'Time per entity for a tick with all moving, while the map gets wider and nothing else changes.',
      row: {
        ...common,
        summary: 'Time per entity over the width of the map',
        yTitle: 'time per entity',
        panels: [
          {
            title: `${fullCount(villages[0]?.entities ?? 0)} people in villages`,
            lines: linesOf(results, villages, width, (crowd, contender) => {
              const ms = results.ms(crowd, contender, 'allMoving');
              return ms === undefined ? undefined : ms / crowd.entities;
            }),
          },
        ],
        yText: axisTime,
        emphasis,
      },
    },
    {
      name: 'map-memory',
      title: 'Few people on growing maps',
      caption:
        'Bytes of the whole world as measured, and of a grid whose cells are all created at once, computed with 8 bytes per cell.',
      row: {
        ...common,
        summary: 'Memory over the width of the map',
        yTitle: 'bytes',
        panels: [
          {
            title: `${fullCount(few[0]?.entities ?? 0)} people`,
            lines: few.length === 0 || measured.length === 0 ? [] : [...measured.map(memory), computed],
          },
        ],
        yText: axisBytes,
      },
    },
  ];
}

/** All plots, in the order of the report. */
export function allPlots(results: Results, emphasis: string | undefined): Plot[] {
  return [
    ...populationPlots(results, emphasis),
    ...densityPlots(results, emphasis),
    ...claimPlots(results, emphasis),
  ];
}

function linesOf(
  results: Results,
  crowds: readonly Crowd[],
  x: (crowd: Crowd) => number,
  y: (crowd: Crowd, contender: string) => number | undefined,
): Line[] {
  return results
    .contenders(crowds)
    .map((contender) => lineOf(contender, crowds, x, (crowd) => y(crowd, contender)))
    .filter(({ points }) => points.length > 0);
}

function lineOf(
  contender: string,
  crowds: readonly Crowd[],
  x: (crowd: Crowd) => number,
  y: (crowd: Crowd) => number | undefined,
): Line {
  const points = crowds.flatMap((crowd) => {
    const value = y(crowd);
    return value === undefined || value <= 0 ? [] : [{ x: x(crowd), y: value }];
  });
  return { contender, label: contender, points: points.sort((one, other) => one.x - other.x) };
}

function hasPoints({ row }: Plot): boolean {
  return row.panels.some(({ lines }) => lines.some(({ points }) => points.length > 0));
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
}
