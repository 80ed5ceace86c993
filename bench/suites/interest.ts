/**
 * What rules cost where they hardly ever decide anything: walkers with a margin, with a cap that is never reached, with
 * three senses, with all of it; and what a cap costs where it decides everything, ten thousand in one spot.
 *
 * Ratios are those of our own times in one run, against a world without rules. The spot is held against walkers of whom
 * each perceives as many as the cap lets through: the same reports in size, and a hundred times the candidates.
 */
import { createPileUp, createWalkers } from '@umwelt/scenarios';
import { threeSensesJudge, umwelt, umweltThreeSenses } from '../engines/umwelt.ts';
import { type JudgedEngine, umweltAllRules, umweltCap, umweltMargin } from '../engines/umwelt-interest.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import { populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [100_000];
const SPOT_ENTITIES = [10_000];
/** As many as the cap of the engine in the spot. */
const CAP = 100;
/** Half a range: everybody perceives everybody. They mill about at a fifth of a walker's pace. */
const SPOT_RADIUS = 25;
const WALKERS_PACE = 5;

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
      // A cap that is never reached is no other work: its reports are held against those without.
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
