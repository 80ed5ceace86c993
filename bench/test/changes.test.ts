/** The suite of single changes: its worlds are drawn, and each kind of change does something. */
import { expect, test } from 'vitest';
import type { GaugeCase } from '../measure/gauge.ts';
import { changes } from '../suites/changes.ts';
import type { Choice } from '../suites/suite.ts';

const choice = (seed: number): Choice => ({ smoke: true, entities: undefined, engines: undefined, seed });

test('a seed gives the same worlds each time, and another seed others', () => {
  const namesOf = (seed: number) => changes.cases(choice(seed)).map(({ name }) => name);
  expect(namesOf(3)).toEqual(namesOf(3));
  expect(namesOf(3)).not.toEqual(namesOf(4));
});

test('each kind of change is reported under some rule, and each question answered', async () => {
  const unseen: string[][] = [];
  for (const each of changes.cases(choice(1)) as GaugeCase[]) {
    const { rows, problems } = await each.measure(() => {});
    expect(problems).toEqual([]);
    unseen.push(rows.filter(({ hash }) => hash === '0000000000000000').map(({ label }) => label));
  }
  const everywhere = unseen[0]!.filter((label) => unseen.every((labels) => labels.includes(label)));
  // All see all layers; only a function looks at what is volatile, and here it admits all.
  expect(everywhere).toEqual(['nothing', 'volatile', 'sees']);
});
