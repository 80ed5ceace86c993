/**
 * Where are the cliffs? Worlds drawn from seeds: each without rules, with its rules, and beside a grid that a careful programmer writes.
 *
 * The suites of fixed crowds find a loss only where somebody thought of it. Here nobody chooses: a seed says how many watch and move, where they
 * stand, what they perceive and by which rules (drawn-crowd.ts). The first lane of each case is the world without rules. A lane with
 * rules that takes many times as long, or a grid that takes less time than the engine, is a cliff: `--seed` runs that world again.
 */
import { ownGrid } from '../engines/own-grid.ts';
import { judgedVariant } from '../engines/umwelt-interest.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import { drawCrowd } from './drawn-crowd.ts';
import { type Choice, type Suite, seedsOf } from './suite.ts';

const USUAL_SEEDS = 24;
const SMOKE_SEEDS = 6;
const SMOKE_ENTITIES = 260;

export const drawn: Suite = {
  name: 'drawn',
  summary: 'worlds drawn from seeds, with and without rules, beside a grid of one’s own: where are cliffs?',
  cases: (choice) => seedsOf(choice, USUAL_SEEDS, SMOKE_SEEDS).map((seed) => drawnCase(choice, seed)),
};

function drawnCase(choice: Choice, seed: number): RaceCase {
  const draw = () => drawCrowd(seed, choice.smoke ? SMOKE_ENTITIES : undefined);
  const { plan, rules, pins, title, rulesTitle } = draw();
  const simulate = () => draw().simulation;
  const bare = judgedVariant('umwelt', 'without rules');
  const ruled = judgedVariant('umwelt', rulesTitle, { interests: { default: rules } }, undefined, {
    begin(world, ids, { capacity, range }) {
      for (let actor = 0; actor < capacity; actor++) {
        if (range[actor] === 0) continue;
        // Anybody: far away, as quest givers and guild members are.
        for (let i = 1; i <= pins; i++) world.pin(ids[actor]!, ids[(actor + i * 97) % capacity]!);
      }
    },
  });
  const lanes: LanePlan[] = [
    { label: 'without rules', ...bare, updates: false, work: 'perception', simulate },
    { label: rulesTitle, ...ruled, updates: plan.updates, work: 'rules', simulate },
    {
      label: ownGrid.title,
      engine: ownGrid,
      judge: bare.judge,
      updates: false,
      work: 'perception',
      simulate,
    },
  ];
  return {
    kind: 'race',
    name: `seed ${seed}: ${title}`,
    work: { entities: plan.entities, perceived: plan.perceived },
    lanes: rulesTitle === 'no rules' ? [lanes[0]!, lanes[2]!] : lanes,
  };
}
