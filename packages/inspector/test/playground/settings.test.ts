/** What is set in the playground, and its address: total, within bounds, and back again; also that of the guides' playgrounds. */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { detectorNames } from 'umwelt';
import { expect, it } from 'vitest';
import { playgroundsOf } from '../../../../tools/site-pages.ts';
import { feasible, readSettings, type Settings, SLIDERS, writeSettings } from '../../playground/settings.ts';

const initial = readSettings('');

it('nothing said is what the sliders are at first, and an address without an end', () => {
  expect(initial).toEqual({
    ...{ entities: 2000, sight: 1, hearing: 0.7, margin: 0.1, cap: 24 },
    ...{ detector: 'sweep', isStructureShown: false },
  });
  expect(writeSettings(initial)).toBe('');
});

it('only what is set otherwise is in the address', () => {
  expect(writeSettings({ ...initial, cap: 5, detector: 'tower', isStructureShown: true })).toBe(
    '#cap=5&detector=tower&structure=1',
  );
});

it('what is written is read again', () => {
  const slider = (name: keyof typeof SLIDERS) => {
    const { min, max, step } = SLIDERS[name];
    return fc
      .nat({ max: Math.round((max - min) / step) })
      .map((steps) => Number((min + steps * step).toFixed(4)));
  };
  const settings: fc.Arbitrary<Settings> = fc.record({
    entities: slider('entities'),
    sight: slider('sight'),
    hearing: slider('hearing'),
    margin: slider('margin'),
    cap: slider('cap'),
    detector: fc.constantFrom(...detectorNames),
    isStructureShown: fc.boolean(),
  });
  fc.assert(
    fc.property(settings.map(feasible), (given) => {
      expect(readSettings(writeSettings(given))).toEqual(given);
    }),
  );
});

it.each([
  ['#n=1e9&cap=-5', { entities: 50_000, cap: 1 }],
  ['#n=&sight=NaN&hearing=Infinity', { entities: 2000, sight: 1, hearing: 0.7 }],
  ['#detector=<script>&structure=yes', { detector: 'sweep', isStructureShown: false }],
  ['#n=3000&detector=brute-force', { entities: 3000, detector: 'brute-force' }],
  ['#n=3100&detector=brute-force', { entities: 3100, detector: 'sweep' }],
  ['#n=1234.5&margin=0.07', { entities: 1200, margin: 0.05 }],
])('whatever an address says is brought within bounds: %s', (hash, expected) => {
  expect(readSettings(hash)).toMatchObject(expected);
});

it('any text at all is read', () => {
  fc.assert(
    fc.property(fc.string(), (hash) => {
      const { entities, cap, sight } = readSettings(hash);
      expect(entities >= 100 && entities <= 50_000 && cap >= 1 && cap <= 101 && sight >= 0).toBe(true);
    }),
  );
});

it('the playgrounds beside the guides have settings that there are, and say only what differs', () => {
  const folder = new URL('../../../../docs/', import.meta.url);
  const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
  const found = pages.flatMap((name) => playgroundsOf(readFileSync(new URL(name, folder), 'utf8')));
  expect(found.length).toBeGreaterThan(6);
  for (const settings of found) expect(writeSettings(readSettings(settings))).toBe(`#${settings}`);
});
