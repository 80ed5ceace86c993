/** The report and its plots: well-formed, complete, and dependent on nothing outside the file. */
import { describe, expect, it } from 'vitest';
import { axisBytes, axisCount, axisNumber, axisTime } from '../src/compare/report/axis-text.ts';
import { apart } from '../src/compare/report/line-panels.ts';
import { LogScale } from '../src/compare/report/log-scale.ts';
import { escaped } from '../src/compare/report/markup.ts';
import { reportPage } from '../src/compare/report/page.ts';
import { pictures } from '../src/compare/report/pictures.ts';
import { byteCount, duration, listed, percent, threeDigits, times } from '../src/compare/wording.ts';
import { fullCount } from '../src/numbers.ts';
import { comparisonOf, crowdOf, rowOf } from './compare-rows.ts';

const NAMES = ['sweep', 'nine-grid', 'cross-list', 'cross-list without index', 'hot-pair'] as const;
const population = [100, 1000, 10_000].flatMap((entities) =>
  ['walkers', 'city'].map((scenario) => crowdOf({ scenario, entities, title: `The <${scenario}> & "co"` })),
);
const others = [
  crowdOf({ series: 'density', id: 'density/1', entitiesPerCell: 0.5, cellsPerEntity: 2 }),
  crowdOf({ series: 'density', id: 'density/100', entitiesPerCell: 50, cellsPerEntity: 0.02 }),
  crowdOf({ series: 'map', id: 'map/1', mapWidth: 1000 }),
  crowdOf({ series: 'map', id: 'map/100', mapWidth: 100_000 }),
  crowdOf({ series: 'empty-map', id: 'empty-map/1', entities: 100 }),
  crowdOf({ series: 'empty-map', id: 'empty-map/100', entities: 100, mapWidth: 1e5, mapHeight: 1e5 }),
];
const crowds = [...population, ...others];
const comparison = comparisonOf(
  crowds,
  crowds.flatMap((crowd) => [
    ...NAMES.map((name, i) => rowOf(crowd, name, { ms: { allMoving: (i + 1) * crowd.entities * 1e-4 } })),
    crowd.entities < 10_000
      ? rowOf(crowd, 'brute-force', { ms: { allMoving: crowd.entities ** 2 * 1e-6 } })
      : rowOf(crowd, 'brute-force', { skipped: 'expected to take 3 min, budget 5 s', rounds: 0 }),
  ]),
);
const page = reportPage(comparison);

const VOID_ELEMENTS = ['meta', 'br'];

/** The first thing wrong with the nesting of elements; undefined when all that is opened is closed in order. */
function nestingFault(markup: string): string | undefined {
  const open: string[] = [];
  const text = markup.replace(/^<!doctype html>/u, '').replace(/<style>[^<]*<\/style>/gu, '');
  for (const [tag, slash = '', name = '', rest = ''] of text.matchAll(/<(\/?)([\w-]+)([^<>]*)>/gu)) {
    if (rest.endsWith('/') || VOID_ELEMENTS.includes(name)) continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) return `${tag} closes something else`;
  }
  return open.length === 0 ? undefined : `${open.join(', ')} left open`;
}

describe('the page', () => {
  it('closes what it opens, and leaves no angle bracket or ampersand bare', () => {
    expect(nestingFault(page)).toBeUndefined();
    const text = page
      .replace(/<style>[^<]*<\/style>/gu, '')
      .replace(/<!doctype html>|<\/?[\w-]+(\s[^<>]*)?>/gu, '');
    expect(text).not.toMatch(/[<>]/u);
    expect(text).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/u);
  });

  it('the nesting check finds what is wrong', () => {
    expect(nestingFault('<p><b></p></b>')).toBeDefined();
    expect(nestingFault('<p>')).toBeDefined();
  });

  it('fetches nothing and runs nothing', () => {
    expect(page).not.toMatch(/<script|<link|<img|<iframe|@import|url\(|\ssrc=|\son\w+=|javascript:/iu);
    // The one address is the name of SVG's namespace, which is not fetched.
    expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:/iu);
  });

  it('shows every row, with its hash, and skipped ones as skipped', () => {
    for (const { id, entities } of crowds) {
      expect(page).toContain(`<code class="hash">${id}</code>`);
      expect(page).toContain(`${fullCount(entities)} entities`);
    }
    expect(page.match(/<code class="hash">00000000000000aa<\/code>/gu)).toHaveLength(
      comparison.rows.filter(({ skipped }) => skipped === undefined).length,
    );
    expect(page.match(/skipped: expected to take 3 min, budget 5 s/gu)).toHaveLength(2);
  });

  it('links of claims lead to rows that are there', () => {
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id));
    const targets = [...page.matchAll(/href="#([^"]+)"/gu)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(4);
    for (const target of targets) expect(ids).toContain(target);
  });

  it('begins with the advice, for both surroundings', () => {
    expect(page).toContain('<h1>Take sweep.</h1>');
    expect(page).toContain('prefers-color-scheme:dark');
  });

  it('sounds the alarm when exact detectors differ, and only then', () => {
    expect(page).not.toContain('role="alert"');
    const rows = comparison.rows.map((row) =>
      row.contender === 'hot-pair' ? { ...row, hash: '00000000000000bb' } : row,
    );
    expect(reportPage({ ...comparison, rows })).toMatch(/role="alert".+hot-pair \(00000000000000bb\)/su);
  });

  it('can be made of a single crowd and a single contender', () => {
    const [crowd] = population;
    const least = reportPage(
      comparisonOf(crowd === undefined ? [] : [crowd], [rowOf(crowd as never, 'mine')]),
    );
    expect(nestingFault(least)).toBeUndefined();
    expect(least).toContain('<h1>Take mine.</h1>');
    expect(least).not.toContain('NaN');
  });

  it('can be made of nothing', () => {
    const nothing = reportPage(comparisonOf([], []));
    expect(nestingFault(nothing)).toBeUndefined();
    expect(nothing).toContain('Nothing was measured.');
  });

  it('has no figure that is none', () => {
    expect(page).not.toMatch(/NaN|Infinity|undefined/u);
  });
});

describe('the pictures', () => {
  const drawn = pictures(comparison);

  it('are one a plot, each a drawing of its own', () => {
    expect(drawn.map(({ name }) => name)).toEqual([
      'population-all-moving',
      'population-few-moving',
      'population-add',
      'population-remove',
      'population-comes',
      'population-memory',
      'density',
      'list-against-grid',
      'map-time',
      'map-memory',
    ]);
    for (const { svg } of drawn) {
      expect(nestingFault(svg)).toBeUndefined();
      expect(svg).toMatch(/^<svg [^>]+ xmlns="http:\/\/www\.w3\.org\/2000\/svg">/u);
      expect(svg).toContain('prefers-color-scheme:dark');
      expect(svg).not.toMatch(/NaN|Infinity|undefined|<script|url\(/u);
    }
  });

  it('name every line once, also one that ends early', () => {
    const [first] = drawn;
    for (const name of NAMES) {
      const ends = first?.svg.match(new RegExp(`dy="0\\.32em">${name}</text>`, 'gu'));
      expect(ends, name).toHaveLength(1);
    }
    // Skipped at the end of both panels: named in each, where it ends.
    expect(first?.svg.match(/>brute-force<\/text>/gu)).toHaveLength(2);
  });
});

describe('a logarithmic axis', () => {
  it('puts equal ratios at equal distances, in either direction', () => {
    const right = new LogScale([1, 1000], 0, 300);
    expect(right.at(10) - right.at(1)).toBeCloseTo(right.at(1000) - right.at(100), 6);
    const up = new LogScale([1, 1000], 300, 0);
    expect(up.at(10)).toBeGreaterThan(up.at(100));
    expect(up.valueAt(up.at(42))).toBeCloseTo(42, 6);
  });

  it('labels powers of ten, and more between few of them', () => {
    const values = (low: number, high: number) =>
      new LogScale([low, high], 0, 1).ticks().flatMap(({ value, isLabelled }) => (isLabelled ? [value] : []));
    expect(values(1, 1e4)).toEqual([1, 10, 100, 1000, 10_000]);
    expect(values(2, 40)).toEqual([2, 5, 10, 20]);
  });

  it('has room to either side of a single value', () => {
    const scale = new LogScale([7], 0, 100);
    expect(scale.at(7)).toBeCloseTo(50, 6);
    expect(scale.ticks().length).toBeGreaterThan(0);
  });
});

it('names at the ends of lines keep apart, within the frame, and in order', () => {
  expect(apart([10, 100], 0, 200)).toEqual([10, 100]);
  const places = apart([50, 51, 52, 198, 199], 0, 200);
  for (let i = 1; i < places.length; i++) {
    expect((places[i] as number) - (places[i - 1] as number)).toBeGreaterThanOrEqual(14.9);
  }
  expect(Math.max(...places)).toBeLessThanOrEqual(200);
});

it('figures are worded with three digits that count', () => {
  expect([0.0004, 0.84, 12.34, 4567].map(duration)).toEqual(['0.400 µs', '840 µs', '12.3 ms', '4.57 s']);
  expect([640, 12_340, 4_560_000, 999_600].map(byteCount)).toEqual([
    '640 B',
    '12.3 kB',
    '4.56 MB',
    '1.00 MB',
  ]);
  expect([0, 0.01234, 9.999, 99.96, 1234.5].map(threeDigits)).toEqual([
    '0',
    '0.0123',
    '10.0',
    '100',
    '1,235',
  ]);
  expect([1, 12.34, 245.2].map(times)).toEqual(['1.00', '12.3', '245']);
  expect([0, 0.004, 0.64].map(percent)).toEqual(['0 %', '0.4 %', '64 %']);
  expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
  expect(escaped(`<a href="x">'&'`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;');
});

it('axes leave out what says nothing', () => {
  expect([0.01, 0.5, 20].map(axisTime)).toEqual(['10 µs', '500 µs', '20 ms']);
  expect([500, 20_000, 1_500_000].map(axisBytes)).toEqual(['500 B', '20 kB', '1.5 MB']);
  expect([0.05, 1, 200].map(axisNumber)).toEqual(['0.05', '1', '200']);
  expect([100, 1000, 150_000, 2e6].map(axisCount)).toEqual(['100', '1k', '150k', '2M']);
});
