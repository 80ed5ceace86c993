/**
 * The report: one self-contained page, to open from a file, send around, or print.
 *
 * It answers first and explains later: which detector to use and why; how all of them do as crowds grow and get denser;
 * claims about these algorithms and whether they held; every row; how it was measured. It has no scripts and loads nothing; it is
 * light or dark as the reader prefers.
 */
import { type Advice, adviceFor } from '../advice.ts';
import { disagreements } from '../agreement.ts';
import { verdictsOn } from '../claims/verdicts.ts';
import type { Comparison, Crowd, Series } from '../comparison.ts';
import { FIGURES, figureNames } from '../figure.ts';
import { Results } from '../results.ts';
import { listed } from '../wording.ts';
import { panelRow } from './line-panels.ts';
import { escaped } from './markup.ts';
import { claimTable, crowdTable, situationTable } from './page-tables.ts';
import { claimPlots, densityPlots, type Plot, populationPlots } from './plots.ts';
import { markShape, styleOf } from './series-style.ts';
import { pageStyle, plotStyle, themeVariables } from './theme.ts';

export function reportPage(comparison: Comparison): string {
  const results = new Results(comparison);
  const advice = adviceFor(results);
  const body = [
    header(comparison, results, advice),
    alarm(comparison),
    situations(advice),
    growing(results, advice.pick),
    closer(results, advice.pick),
    claims(results, advice.pick),
    allRows(results),
    method(comparison),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>umwelt compare: ${escaped(advice.headline)}</title>
<style>
${themeVariables}
${pageStyle}
${plotStyle}
</style>
</head>
<body>
${body.filter((part) => part !== '').join('\n')}
</body>
</html>
`;
}

function header(
  { machine, date, isSmoke }: Comparison,
  results: Results,
  { headline, reasons }: Advice,
): string {
  const contenders = results.contenders(results.crowds('population'));
  const what = results.scenarios('population').includes('trace') ? 'this recording' : 'these crowds';
  const facts = `${machine.processor}, ${machine.cores} cores, ${machine.runtime}, ${date}`;
  const [first = '', ...others] = reasons;
  return `<header>
<p class="kicker">umwelt compare</p>
<h1>${escaped(headline)}</h1>
<p class="lede">${escaped(first)}</p>
<p class="facts">${contenders.length} detectors on ${what}: ${escaped(listed(contenders))}. ${escaped(facts)}.${isSmoke ? ' A smoke run: the figures mean nothing.' : ''}</p>
<ul class="reasons">${others.map((reason) => `<li>${escaped(reason)}</li>`).join('\n')}</ul>
</header>`;
}

function alarm(comparison: Comparison): string {
  const differences = disagreements(comparison);
  if (differences.length === 0) return '';
  const items = differences.map((text) => `<p>${escaped(text)}</p>`);
  return `<div class="alarm" role="alert"><p><b>Exact detectors reported different things: at least one of them is wrong.</b></p>${items.join('\n')}</div>`;
}

function situations(advice: Advice): string {
  if (advice.crowds.length === 0) return '';
  return `<section>
<h2>Which one, when</h2>
<p class="note">For the largest crowd of each kind: the best detector, and the ratio of the next one to it. The pick at the top is best on the first line, by the geometric mean of the ratios to the best; among detectors within a tenth of each other, it is best on the second line. A detector that was skipped in one of these crowds is not picked.</p>
${situationTable(advice)}
</section>`;
}

function growing(results: Results, pick: string | undefined): string {
  const plots = populationPlots(results, pick);
  if (plots.length === 0) return '';
  return `<section>
<h2>As crowds grow</h2>
${legend(results.contenders(results.crowds('population')))}
${plots.map(figure).join('\n')}
</section>`;
}

function closer(results: Results, pick: string | undefined): string {
  const plots = densityPlots(results, pick);
  return plots.length === 0
    ? ''
    : `<section>\n<h2>As crowds get denser</h2>\n${plots.map(figure).join('\n')}\n</section>`;
}

function claims(results: Results, pick: string | undefined): string {
  const verdicts = verdictsOn(results);
  if (verdicts.every(({ outcome }) => outcome === 'not measured')) return '';
  const plots = claimPlots(results, pick);
  const drawn = plots.length === 0 ? '' : `<div class="pair">${plots.map(figure).join('\n')}</div>`;
  return `<section>
<h2>Claims about the algorithms</h2>
<p class="note">Published claims, each tested on this machine with these detectors; the links name the crowds, some of which were made for the test. A claim that holds here need not hold for another implementation.</p>
${claimTable(verdicts)}
${drawn}
</section>`;
}

const SERIES_TITLES: Readonly<Record<Series, string>> = {
  population: 'Growing crowds',
  density: 'The same crowd, closer together',
  map: 'Villages on growing maps',
  'empty-map': 'A hundred people on growing maps',
  insertion: 'New entities in crowds without watchers',
  published: 'Crowds of a published measurement',
  cells: 'Answers by cells',
};

function allRows(results: Results): string {
  const series = (Object.keys(SERIES_TITLES) as Series[]).filter((name) => results.crowds(name).length > 0);
  const parts = series.map((name) => {
    const tables = results.crowds(name).map((crowd: Crowd) => crowdTable(results, crowd));
    return `<details><summary>${SERIES_TITLES[name]}</summary>${tables.join('\n')}</details>`;
  });
  return `<section>\n<h2>Every row</h2>\n${parts.join('\n')}\n</section>`;
}

function method({ command, budgetSeconds }: Comparison): string {
  const figures = figureNames.map(
    (name) => `<b>${escaped(FIGURES[name].title)}</b>: when ${escaped(FIGURES[name].when)}`,
  );
  return `<footer>
<h2>How it was measured</h2>
<p>${figures.join('; ')}. Each time is a whole operation: calling the world, its tick, and reading every list of its report. Watchers take no <code>updated</code> lists; their cost is the same with every detector.</p>
<p>Detectors take turns, one whole run through the crowd at a time; a figure is the median of all rounds. Memory is that of the world while all entities move, reports and state included. A detector was skipped if a run was expected to take longer than ${budgetSeconds} s, judged by runs with a part of the crowd; a detector that had used up that time got no further round.</p>
<p>A row’s hash is the sum of the hashes of all its ticks’ reports. Exact detectors must have equal hashes, or the run fails.</p>
<p>Made by <code>${escaped(command)}</code></p>
</footer>`;
}

function figure({ title, caption, row }: Plot): string {
  return `<figure><figcaption><b>${escaped(title)}.</b> ${escaped(caption)}</figcaption><div class="frame">${panelRow(row)}</div></figure>`;
}

function legend(contenders: readonly string[]): string {
  const items = contenders.map((contender) => {
    const { colour, mark, isDashed } = styleOf(contender);
    const line = `<path class="line${isDashed ? ' dashed' : ''}" d="M0 6H34"/>`;
    return `<li class="${colour}"><svg class="plot" viewBox="0 0 34 12" aria-hidden="true">${line}<g class="mark">${markShape(mark, 17, 6)}</g></svg>${escaped(contender)}</li>`;
  });
  return `<ul class="legend">${items.join('')}</ul>`;
}
