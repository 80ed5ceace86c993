/**
 * The cost of rules that hardly ever decide anything: walkers with a margin, with a cap that is never reached, with three
 * senses, and with all of these. And the cost of a cap that decides everything: ten thousand in one spot.
 *
 * Ratios are between our own times in one run, relative to a world without rules. The spot is compared with walkers that
 * each perceive as many as the cap allows: reports of the same size, but a hundredth of the candidates.
 */
import { createPileUp, createWalkers } from '@umwelt/scenarios';
import { threeSensesJudge, umwelt, umweltThreeSenses } from '../engines/umwelt.ts';
import { type JudgedEngine, umweltAllRules, umweltCap, umweltMargin } from '../engines/umwelt-interest.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import { populations, type Suite, WALKERS_PACE, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [100_000];
const SPOT_ENTITIES = [10_000];
/** Equal to the cap of the engine in the spot. */
const CAP = 100;
/** Half a range, so that all perceive each other. They move at a fifth of a walker's pace. */
const SPOT_RADIUS = 25;

export const interest: Suite = {
  name: 'interest',
  summary: 'senses, margin and cap against none; a cap in a pile-up',
  cases: (choice) => [
    ...populations(choice, ENTITIES).map(rulesCase),
    ...populations(choice, SPOT_ENTITIES).map(spotCase),
  ],
};

function rulesCase(entities: number): RaceCase {
  return {
    kind: 'race',
    name: `${entities} walkers with and without rules`,
    work: walkersWork(entities),
    lanes: [
      walkersLane(entities, false, umwelt),
      ruledLane(entities, 'three senses', { engine: umweltThreeSenses, judge: threeSensesJudge }),
      ruledLane(entities, 'margin', umweltMargin),
      // A cap that is never reached changes no report: its reports are compared with those without a cap.
      walkersLane(entities, false, umweltCap.engine),
      ruledLane(entities, 'all rules', umweltAllRules),
    ],
  };
}

function ruledLane(entities: number, work: string, { engine, judge }: JudgedEngine): LanePlan {
  return { ...walkersLane(entities, false, engine), work: `walkers with ${work}`, judge };
}

function spotCase(entities: number): RaceCase {
  const perceived = Math.min(CAP, entities - 1);
  return {
    kind: 'race',
    name: `${entities} in one spot with a cap of ${CAP}`,
    work: { entities, perceived: entities },
    lanes: [
      {
        label: `umwelt, ${perceived} perceived`,
        engine: umwelt,
        updates: false,
        work: 'walkers in a crowd',
        simulate: () => createWalkers({ entities, perceived }),
      },
      {
        label: `${umweltCap.engine.title}, all in one spot`,
        engine: umweltCap.engine,
        judge: umweltCap.judge,
        updates: false,
        work: 'a pile-up',
        simulate: () => createPileUp({ entities, gathered: 1, radius: SPOT_RADIUS, speed: WALKERS_PACE }),
      },
    ],
  };
}
