/**
 * The table on the terminal: a block per crowd, printed when the crowd is done.
 *
 * Times are medians; `x sweep` is the ratio of tick times with all moving. A skipped row has the reason in place of its
 * figures.
 */
import { fullCount } from '../numbers.ts';
import type { Comparison, Crowd, Row } from './comparison.ts';
import { FIGURES, figureNames } from './figure.ts';
import { Results } from './results.ts';
import { byteCount, duration, threeDigits, times } from './wording.ts';

const COLUMN_WIDTH = 13;
const RATIO_WIDTH = 13;

/** Lines of one crowd, each with a newline. */
export function crowdBlock(crowd: Crowd, rows: readonly Row[]): string {
  const results = new Results({ crowds: [crowd], rows } as unknown as Comparison);
  const yardstick = results.yardstick(crowd);
  const nameWidth = Math.max(...rows.map(({ contender }) => contender.length), 'Detector'.length);
  const header = [
    ...figureNames.map((name) => FIGURES[name].title.padStart(COLUMN_WIDTH)),
    'Memory'.padStart(9),
    `x ${yardstick ?? ''}`.padStart(RATIO_WIDTH),
    '  Hash',
  ];
  const lines = [
    crowdLine(crowd, rows),
    `  ${'Detector'.padEnd(nameWidth)}${header.join('')}`,
    ...rows.map((row) => `  ${row.contender.padEnd(nameWidth)}${rowText(results, crowd, row, yardstick)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Describes the crowd: size and density. If all contenders were skipped, the number perceived is unknown. */
export function crowdLine(crowd: Crowd, rows: readonly Row[]): string {
  const { title, entities, entitiesPerCell, cellsPerEntity, perceived, range, mapWidth, mapHeight } = crowd;
  const parts = [
    `${title}: ${fullCount(entities)} entities`,
    `map ${threeDigits(mapWidth)} x ${threeDigits(mapHeight)}`,
    `${threeDigits(entitiesPerCell)} entities per cell`,
    `${threeDigits(cellsPerEntity)} cells per entity`,
    rows.some(({ rounds }) => rounds > 0)
      ? `${threeDigits(perceived)} perceived at range ${threeDigits(range)}`
      : `range ${threeDigits(range)}`,
  ];
  return parts.join(', ');
}

function rowText(results: Results, crowd: Crowd, row: Row, yardstick: string | undefined): string {
  if (row.skipped !== undefined) return `  skipped: ${row.skipped}`;
  const figures = figureNames.map((name) => {
    const figure = row.figures[name];
    return (figure === undefined ? '-' : duration(figure.median)).padStart(COLUMN_WIDTH);
  });
  const ratio =
    yardstick === undefined ? undefined : results.ratio(crowd, row.contender, yardstick, 'allMoving');
  return [
    ...figures,
    (row.memoryBytes === undefined ? '-' : byteCount(row.memoryBytes)).padStart(9),
    (ratio === undefined ? '-' : times(ratio)).padStart(RATIO_WIDTH),
    `  ${row.hash ?? '-'}`,
  ].join('');
}
