/** The tables of the report: the best detector by situation, claims with their results, and every row. */
import { fullCount } from '../../numbers.ts';
import type { Advice, Standing } from '../advice.ts';
import type { Outcome, Verdict } from '../claims/claim.ts';
import type { Crowd, Row } from '../comparison.ts';
import { FIGURES, figureNames } from '../figure.ts';
import type { Results } from '../results.ts';
import { crowdLine } from '../terminal-table.ts';
import { byteCount, duration, sentence, times } from '../wording.ts';
import { escaped } from './markup.ts';
import { styleOf } from './series-style.ts';

/** A row per situation, a column per crowd: the best detector, and the next one. */
export function situationTable({ situations, crowds }: Advice): string {
  const heads = crowds.map(
    ({ title, entities }) => `<th scope="col">${escaped(title)}<br>${fullCount(entities)} entities</th>`,
  );
  const rows = situations.map(({ title, standings }) => {
    const cells = standings.map((ranked) => `<td>${standingText(ranked)}</td>`);
    return `<tr><th scope="row">${escaped(title)}</th>${cells.join('')}</tr>`;
  });
  return `<div class="scroll"><table class="situations"><thead><tr><td></td>${heads.join('')}</tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

function standingText([best, next]: readonly Standing[]): string {
  if (best === undefined) return '<span class="outcome none">not measured</span>';
  const name = `<b class="${styleOf(best.contender).colour}">${escaped(best.contender)}</b> ${escaped(best.text)}`;
  if (next === undefined) return name;
  const ratio = next.value / best.value;
  const much = ratio < 1.1 ? 'as good' : `${times(ratio)} ×`;
  return `${name}<small>then ${escaped(next.contender)}, ${much}</small>`;
}

const OUTCOME_CLASSES: Readonly<Record<Outcome, string>> = {
  held: 'held',
  'held in part': 'part',
  'did not hold': 'failed',
  'not measured': 'none',
};

const OUTCOME_SIGNS: Readonly<Record<Outcome, string>> = {
  held: '✓',
  'held in part': '◐',
  'did not hold': '✗',
  'not measured': '–',
};

export function claimTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => {
    const { source, claim, rule, outcome } = verdict;
    return `<tr><td><b>${escaped(claim)}</b><small>${escaped(source)}</small><small>${escaped(sentence(rule))}.</small></td><td><span class="outcome ${OUTCOME_CLASSES[outcome]}">${OUTCOME_SIGNS[outcome]} ${outcome}</span></td><td>${evidenceMarkup(verdict)}</td></tr>`;
  });
  return `<div class="scroll"><table class="claims"><thead><tr><th scope="col">Claim</th><th scope="col">Result</th><th scope="col">Evidence</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

/** Maximum number of links to crowds; further crowds are only counted. */
const LINKED_CROWDS = 6;

function evidenceMarkup({ evidence, table, crowds }: Verdict): string {
  const lines = evidence.map((line) => `<p>${escaped(line)}</p>`);
  if (table !== undefined) {
    const heads = table.heads.map((cells) => tableRow(cells, 'th'));
    const rows = table.rows.map((cells) => tableRow(cells, 'td'));
    lines.push(`<table class="small">${[...heads, ...rows].join('')}</table>`);
  }
  if (crowds.length > 0) {
    const links = crowds.slice(0, LINKED_CROWDS).map((id) => `<a href="#${anchor(id)}">${escaped(id)}</a>`);
    const more = crowds.length > LINKED_CROWDS ? ` and ${crowds.length - LINKED_CROWDS} more` : '';
    lines.push(`<small>rows: ${links.join(', ')}${more}</small>`);
  }
  return lines.join('');
}

function tableRow([head = '', ...cells]: readonly string[], tag: 'th' | 'td'): string {
  const others = cells.map((cell) => `<${tag} class="number">${escaped(cell)}</${tag}>`);
  return `<tr><th scope="row">${escaped(head)}</th>${others.join('')}</tr>`;
}

/** Every row of a crowd, under a description of the crowd. */
export function crowdTable(results: Results, crowd: Crowd): string {
  const yardstick = results.yardstick(crowd);
  const heads = figureNames.map(
    (name) => `<th scope="col" class="number">${escaped(FIGURES[name].title)}</th>`,
  );
  const rows = results.rows(crowd).map((row) => rowMarkup(results, crowd, row, yardstick));
  return `<div class="scroll" id="${anchor(crowd.id)}"><table class="rows"><caption>${escaped(crowdLine(crowd, results.rows(crowd)))} <code class="hash">${escaped(crowd.id)}</code></caption><thead><tr><th scope="col">Detector</th>${heads.join('')}<th scope="col" class="number">Memory</th><th scope="col" class="number">× ${escaped(yardstick ?? '')}</th><th scope="col" class="number">Rounds</th><th scope="col">Hash</th></tr></thead><tbody>${rows.join('\n')}</tbody></table></div>`;
}

function rowMarkup(results: Results, crowd: Crowd, row: Row, yardstick: string | undefined): string {
  const { contender, figures, memoryBytes, rounds, hash, skipped } = row;
  const head = `<th scope="row" class="${styleOf(contender).colour}">${escaped(contender)}</th>`;
  if (skipped !== undefined) {
    return `<tr>${head}<td class="skipped" colspan="${figureNames.length + 4}">skipped: ${escaped(skipped)}</td></tr>`;
  }
  const cells = figureNames.map((name) => {
    const figure = figures[name];
    if (figure === undefined) return number('–');
    const { median, low, high, samples } = figure;
    const hint =
      samples === 1
        ? 'one sample'
        : `half of ${samples} samples lie from ${duration(low)} to ${duration(high)}`;
    return `<td class="number" title="${escaped(hint)}">${escaped(duration(median))}</td>`;
  });
  const ratio = yardstick === undefined ? undefined : results.ratio(crowd, contender, yardstick, 'allMoving');
  return [
    `<tr>${head}`,
    ...cells,
    number(memoryBytes === undefined ? '–' : byteCount(memoryBytes)),
    number(ratio === undefined ? '–' : times(ratio)),
    number(String(rounds)),
    `<td><code class="hash">${escaped(hash ?? '–')}</code></td></tr>`,
  ].join('');
}

function number(text: string): string {
  return `<td class="number">${escaped(text)}</td>`;
}

/** A crowd's id as an element id. */
function anchor(id: string): string {
  return id.replace(/[^\w-]+/gu, '-');
}
