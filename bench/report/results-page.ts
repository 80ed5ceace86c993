/**
 * A run as one self-contained page: goals, how the cost grows with the crowd, every race as bars, every row.
 *
 * The page has no scripts and fetches nothing. It is light or dark as the reader prefers.
 */
import type { RaceRow } from '../measure/race.ts';
import { barPlot } from './bar-plot.ts';
import { caseNotes, caseTable, type Table } from './case-table.ts';
import { GOALS_SUITE, measuredGoals } from './goals-page.ts';
import { type Line, linePlot } from './line-plot.ts';
import { escaped } from './markup.ts';
import { pageStyle } from './page-style.ts';
import type { CaseResult, Results } from './results.ts';

const WALKERS_SUITE = 'walkers';

/** `isSmoke`: the figures mean nothing, and the page says so. */
export function resultsPage({ machine, cases }: Results, isSmoke: boolean): string {
  const { processor, cores, memoryGiB, platform } = machine;
  const [first] = cases;
  const facts = `${processor}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${first?.node ?? 'unknown'}, ${first?.date ?? ''}`;
  const suites = [...new Set(cases.map(({ suite }) => suite))];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>umwelt bench</title>
<style>
${pageStyle}
</style>
</head>
<body>
<header>
<h1>umwelt bench</h1>
<p class="soft">${escaped(facts)}.${isSmoke ? ' A smoke run: the figures mean nothing.' : ''}</p>
<p>Times are medians of whole ticks with every list read; the thin line extends to the 99th percentile. Engines took turns of a second; the time relative to the first engine is the median over neighbouring turns.</p>
<p class="legend"><span class="ours">ours</span> <span class="native">native code</span> <span class="peer">peers</span></p>
</header>
${problems(cases)}
${isSmoke ? '' : goals(cases)}
${growing(cases)}
${suites.map((suite) => section(suite, cases)).join('\n')}
</body>
</html>
`;
}

function problems(cases: readonly CaseResult[]): string {
  const lines = cases.flatMap(({ suite, name, outcome }) =>
    outcome.problems.map((problem) => `<p><b>${escaped(`${suite}: ${name}`)}</b>: ${escaped(problem)}</p>`),
  );
  return lines.length === 0 ? '' : `<div class="alarm" role="alert">${lines.join('\n')}</div>`;
}

function goals(cases: readonly CaseResult[]): string {
  const measured = cases.filter(({ suite }) => suite === GOALS_SUITE);
  if (measured.length === 0) return '';
  return `<section>\n<h2>Goals</h2>\n${table(measuredGoals(measured))}\n</section>`;
}

/** Walkers by population, one picture for each kind of report. */
function growing(cases: readonly CaseResult[]): string {
  const byKind = Map.groupBy(
    cases.filter(({ suite }) => suite === WALKERS_SUITE),
    ({ name }) => name.replace(/^\d+ walkers, /, ''),
  );
  const plots = [...byKind].flatMap(([kind, ofKind]) => {
    const lines = linesOf(ofKind);
    const isGrowing = lines.some(({ points }) => (points.at(-1)?.entities ?? 0) > (points[0]?.entities ?? 0));
    return isGrowing ? [figureOf(`Walkers: ${kind}`, linePlot(`Walkers: ${kind}`, lines))] : [];
  });
  return plots.length === 0 ? '' : `<section>\n<h2>As crowds grow</h2>\n${plots.join('\n')}\n</section>`;
}

function linesOf(cases: readonly CaseResult[]): Line[] {
  const byEngine = Map.groupBy(cases.flatMap(raceRows), ({ engine }) => engine);
  return [...byEngine].map(([engine, rows]) => ({
    engine,
    label: rows[0]?.label ?? engine,
    points: rows
      .map(({ entities, nsPerEntityTick: ns }) => ({ entities, ns }))
      .sort((one, other) => one.entities - other.entities),
  }));
}

function section(suite: string, cases: readonly CaseResult[]): string {
  const parts = cases.filter((one) => one.suite === suite).map(casePart);
  return `<section>\n<h2>${escaped(suite)}</h2>\n${parts.join('\n')}\n</section>`;
}

function casePart(result: CaseResult): string {
  const rows = raceRows(result);
  const plot = rows.length === 0 ? '' : barPlot(result.name, rows);
  const notes = caseNotes(result).map((note) => `<li>${escaped(note)}</li>`);
  const figures = table(caseTable(result));
  const details = plot === '' ? figures : `<details><summary>Figures</summary>${figures}</details>`;
  return `${figureOf(result.name, plot)}${details}<ul class="soft">${notes.join('')}</ul>`;
}

function figureOf(title: string, content: string): string {
  const frame = content === '' ? '' : `<div class="frame">${content}</div>`;
  return `<figure><figcaption>${escaped(title)}</figcaption>${frame}</figure>`;
}

function table({ headings, rows }: Table): string {
  const line = (tag: 'th' | 'td', cells: readonly string[]): string =>
    `<tr>${cells.map((cell, i) => `<${tag}${i === 0 ? '' : ' class="number"'}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<div class="scroll"><table><thead>${line('th', headings)}</thead><tbody>${rows.map((cells) => line('td', cells)).join('\n')}</tbody></table></div>`;
}

function raceRows({ outcome }: CaseResult): readonly RaceRow[] {
  return outcome.kind === 'race' ? outcome.rows : [];
}
