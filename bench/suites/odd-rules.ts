/**
 * The cost of one odd entity where all watchers have the same rule: each rule alone, and the same with one camera, one
 * bell, one marker shown always, one watcher whose cap is reached, and so on, one at a time. A decision that is made for
 * the whole world shows here as a cliff.
 *
 * The odd entity is chosen by a seed. The other lanes of a case are compared with its first; at smoke size brute force
 * checks all of them.
 */
import { createWalkers } from '@umwelt/scenarios';
import type { EntityPatch, Interest } from 'umwelt';
import type { RaceCase } from '../measure/race.ts';
import { interestOf, lane, MARGIN, RATES, SEED } from './mixed.ts';
import { ODD_ONES, ODD_RULE, ODD_RULES, oddCalls, withOne, withOneRuled } from './odd-crowds.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, type Suite, sized, walkersWork } from './suite.ts';

const ENTITIES = 20_000;

/** The rule of all watchers. Caps: never reached, sometimes reached, always reached. */
const RULES: Readonly<Record<string, Interest>> = {
  'no rule': {},
  'a leave margin': { leaveMargin: MARGIN },
  'a cap of three times what is perceived': { cap: 3 * PERCEIVED },
  'a cap of one and a half times that, memory': { cap: 1.5 * PERCEIVED, memoryTicks: 20 },
  'a cap of one and a half times that, dwell': { cap: 1.5 * PERCEIVED, minDwellTicks: 10 },
  'a cap of half of that': { cap: PERCEIVED / 2 },
  'update rates': RATES,
  'mutual consent': { mutual: true },
  'lingering for ten ticks': { lingerTicks: 10 },
  'a quota of three times what is perceived': { quotas: [{ layers: 1, cap: 3 * PERCEIVED }] },
  'a function that admits all': { admit: () => true },
};

const ONES: Readonly<Record<string, (far: number) => EntityPatch>> = {
  ...ODD_ONES,
  'shown always': () => ({ always: true }),
  'cap reached': () => ({ cap: 5 }),
  'at rest': () => ({ watches: false }),
};
const PINNED = 'one that is pinned within a distance';
const RIDES = 'one that rides on another';

function oddRuleCase(choice: Choice, name: string): RaceCase {
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const crowd = () => createWalkers({ entities, perceived: PERCEIVED });
  const rule = RULES[name]!;
  const options = { ...interestOf(rule), updates: rule.updateRates !== undefined };
  return {
    kind: 'race',
    name: `${name}, and one odd among 20,000`,
    work: walkersWork(entities),
    lanes: [
      lane('all alike', crowd, options),
      ...Object.entries(ONES).map(([label, one]) => lane(label, () => withOne(crowd(), one, SEED), options)),
      ...Object.entries(ODD_RULES).map(([label, odd]) =>
        lane(label, () => withOneRuled(crowd(), SEED), {
          ...options,
          options: { interests: { default: rule, [ODD_RULE]: odd } },
        }),
      ),
      ...[PINNED, RIDES].map((label) =>
        lane(label, crowd, { ...options, calls: oddCalls(label, entities, SEED) }),
      ),
    ],
  };
}

export const oddRules: Suite = {
  name: 'odd-rules',
  summary: 'each rule alone for all watchers, against the same with one odd entity',
  cases: (choice) => Object.keys(RULES).map((name) => oddRuleCase(choice, name)),
};
