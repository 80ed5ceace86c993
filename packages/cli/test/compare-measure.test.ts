/** Measuring: what is skipped and says so, what takes turns, and who reports wrongly. */
import { createWalkers } from '@umwelt/scenarios';
import { type DetectorFactory, detectorNames } from 'umwelt';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../src/clock.ts';
import { Disagreement, disagreements } from '../src/compare/agreement.ts';
import type { Crowd, Row } from '../src/compare/comparison.ts';
import type { Contender } from '../src/compare/contender.ts';
import { type CrowdPlan, crowdPlans } from '../src/compare/crowd-plan.ts';
import { recordCrowd } from '../src/compare/crowd-script.ts';
import { reasonToSkip } from '../src/compare/expected-time.ts';
import { live } from '../src/compare/life.ts';
import { type Measured, measure, type Progress } from '../src/compare/measure.ts';
import { crowdBlock } from '../src/compare/terminal-table.ts';

/** Every look at it is a millisecond later: every time is a millisecond. */
function countingClock(): Clock {
  let now = 0;
  return { now: () => now++, after: () => () => {} };
}

/** Goes on at every look at it, by what is said for that look. */
class SteppingClock implements Clock {
  ms = 0;
  #looks = 0;
  readonly #stepMs: (looks: number) => number;

  constructor(stepMs: (looks: number) => number) {
    this.#stepMs = stepMs;
  }

  now(): number {
    this.ms += this.#stepMs(this.#looks++);
    return this.ms;
  }

  after(): () => void {
    return () => {};
  }
}

const sweep: Contender = { name: 'sweep', detector: 'sweep' };
const bruteForce: Contender = { name: 'brute-force', detector: 'brute-force' };

/** Works like brute force's but that it overlooks what concerns the first slot. */
const forgetful: Contender = {
  name: 'forgetful',
  detector: ((store) => ({
    name: 'forgetful',
    memoryBytes: 0,
    detect: ({ slotCount }, out) => {
      for (let watcher = 1; watcher < slotCount; watcher++) {
        for (let marker = 1; marker < slotCount; marker++) {
          if (watcher !== marker) out.candidate(watcher, marker);
        }
      }
    },
    collect: (_store, _bounds, visit) => {
      for (let slot = 0; slot < store.slotCount; slot++) if (store.last.isPresent(slot)) visit(slot);
    },
    validate: () => {},
    describe: () => '',
  })) satisfies DetectorFactory,
};

function planWith(contenders: readonly Contender[], entities: number, rounds = 1): CrowdPlan {
  const label = {
    id: `population/walkers/${entities}`,
    series: 'population',
    scenario: 'walkers',
    title: 'Walkers',
  } as const;
  const length = { lead: 1, steps: 4, fewSteps: 3, comers: 2 };
  return {
    label,
    contenders,
    rounds,
    script: async () => recordCrowd(createWalkers({ entities }), length, 1),
  };
}

async function measured(
  plans: readonly CrowdPlan[],
  changes: Partial<Parameters<typeof measure>[1]> = {},
): Promise<Measured> {
  return measure(plans, {
    clock: countingClock(),
    budgetSeconds: 60,
    isWarm: false,
    stop: new AbortController().signal,
    onProgress: () => {},
    onCrowd: () => {},
    ...changes,
  });
}

describe('a contender that reports wrongly', () => {
  it('is found by its hash, and named', async () => {
    const result = await measured([planWith([sweep, bruteForce, forgetful], 60)]);
    const [sentence, ...others] = disagreements(result);
    expect(others).toEqual([]);
    expect(sentence).toMatch(
      /^crowd population\/walkers\/60: forgetful \([0-9a-f]{16}\) differs from sweep, brute-force/,
    );
  });

  it('is what the error says, and no more', () => {
    expect(new Disagreement(['one', 'two']).stack).toBe('one\ntwo');
  });

  it('is nobody of those that ship', async () => {
    const contenders = detectorNames.map((name) => ({ name, detector: name }));
    const result = await measured([planWith(contenders, 120)]);
    expect(result.rows.map(({ contender }) => contender)).toEqual([...detectorNames]);
    expect(new Set(result.rows.map(({ hash }) => hash)).size).toBe(1);
    expect(disagreements(result)).toEqual([]);
  });
});

describe('the budget', () => {
  it('skips who is expected to exceed it, and the row and the table say so', async () => {
    const shown: string[] = [];
    const { rows } = await measured([planWith([sweep], 4000)], {
      budgetSeconds: 0.01,
      onCrowd: (crowd: Crowd, crowdRows: readonly Row[]) => shown.push(crowdBlock(crowd, crowdRows)),
    });
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({
      rounds: 0,
      figures: {},
      skipped: expect.stringMatching(/^expected to take .+, budget 0\.01 s$/),
    });
    expect(rows[0]?.hash).toBeUndefined();
    expect(shown.join('')).toMatch(/sweep +skipped: expected to take/);
  });

  it('skips nobody for a guess that is hardly above it: who then takes longer is given up', () => {
    const pairs = 1000;
    expect(reasonToSkip({ leastSeconds: 19, mostSeconds: 19, pairs }, 10)).toBeUndefined();
    expect(reasonToSkip({ leastSeconds: 21, mostSeconds: 21, pairs }, 10)).toBe(
      'expected to take 21 s, budget 10 s',
    );
    expect(reasonToSkip(undefined, 10)).toBeUndefined();
  });

  it('holds in small crowds, whose lives nobody expects to take long: who takes longer is given up', async () => {
    const shown: string[] = [];
    // A life of this script is some fifteen looks at this clock, and so as many milliseconds.
    const { rows } = await measured([planWith([sweep, bruteForce], 50, 3)], {
      budgetSeconds: 0.01,
      onCrowd: (crowd: Crowd, crowdRows: readonly Row[]) => shown.push(crowdBlock(crowd, crowdRows)),
    });
    for (const row of rows) {
      expect(row).toMatchObject({
        rounds: 0,
        figures: {},
        skipped: 'exceeded its budget of 0.01 s and was stopped',
      });
      expect(row.hash).toBeUndefined();
    }
    expect(shown.join('')).toMatch(/brute-force +skipped: exceeded its budget/);
    // Nobody found out how many are perceived.
    expect(shown.join('')).toMatch(/, range 50\.0$/m);
    expect(shown.join('')).not.toContain('perceived');
  });

  it('is held to the operation, however many are still to come', async () => {
    // Every operation looks at it twice: it takes a second.
    const clock = new SteppingClock(() => 500);
    await measured([planWith([sweep], 50, 3)], { clock, budgetSeconds: 5 });
    expect(clock.ms / 1000).toBeLessThan(5 + 3);
    expect(clock.ms / 1000).toBeGreaterThan(4);
  });

  it('lets everybody live who keeps to it', async () => {
    const { rows } = await measured([planWith([sweep, bruteForce], 50)], { budgetSeconds: 1 });
    expect(rows.map(({ rounds }) => rounds)).toEqual([1, 1]);
  });

  it('keeps the rounds that were lived when a later one is given up', async () => {
    // From some later life on an operation takes forty times as long.
    const clock = new SteppingClock((looks) => (looks < 60 ? 1 : 40));
    const { rows } = await measured([planWith([sweep], 50, 9)], { clock, budgetSeconds: 0.3 });
    expect(rows[0]?.skipped).toBeUndefined();
    expect(rows[0]?.rounds).toBeGreaterThanOrEqual(1);
    expect(rows[0]?.rounds).toBeLessThan(9);
  });

  it('ends the rounds of who has used it up', async () => {
    // A life of this script takes some fifteen milliseconds on this clock.
    const plans = [planWith([sweep], 50, 9)];
    const [{ rounds: many } = { rounds: 0 }] = (await measured(plans, { budgetSeconds: 60 })).rows;
    const [{ rounds: few } = { rounds: 0 }] = (await measured(plans, { budgetSeconds: 0.1 })).rows;
    expect(many).toBe(9);
    expect(few).toBeGreaterThanOrEqual(1);
    expect(few).toBeLessThan(9);
  });
});

describe('a measurement', () => {
  it('takes turns between contenders', async () => {
    const seen: string[] = [];
    await measured([planWith([sweep, bruteForce], 20, 3)], {
      onProgress: ({ contender, round }: Progress) => void seen.push(`${contender} ${round}`),
    });
    expect(seen).toEqual([1, 2, 3].flatMap((round) => [`sweep ${round}`, `brute-force ${round}`]));
  });

  it('has a sample of every operation of every round, without the steps that warm up', async () => {
    const { rows } = await measured([planWith([sweep], 20, 3)]);
    const samples = Object.entries(rows[0]?.figures ?? {}).map(([name, figure]) => [name, figure?.samples]);
    expect(Object.fromEntries(samples)).toEqual({
      add: 3,
      remove: 3,
      allMoving: 6,
      fewMoving: 9,
      comes: 6,
      goes: 6,
    });
    for (const figure of Object.values(rows[0]?.figures ?? {})) expect(figure?.median).toBe(1);
  });

  it('says what the crowd was', async () => {
    const { crowds } = await measured([planWith([sweep], 500)]);
    // 30 in range 50: a square of side 50 holds 30 / pi.
    expect(crowds[0]).toMatchObject({ entities: 500, range: 50, dimensions: 2, movers: 500 });
    expect(crowds[0]?.entitiesPerCell).toBeCloseTo(30 / Math.PI, 1);
    expect(crowds[0]?.cellsPerEntity).toBeCloseTo(Math.PI / 30, 2);
    expect(crowds[0]?.perceived).toBeGreaterThan(20);
  });

  it('ends where it is told to, with what is done', async () => {
    const wish = new AbortController();
    const { crowds } = await measured([planWith([sweep], 20), planWith([sweep], 30)], {
      stop: wish.signal,
      onCrowd: () => wish.abort(),
    });
    expect(crowds.map(({ entities }) => entities)).toEqual([20]);
  });

  it('reports the same every time', () => {
    const script = recordCrowd(
      createWalkers({ entities: 80 }),
      { lead: 1, steps: 4, fewSteps: 3, comers: 2 },
      7,
    );
    const hashes = [1, 2].map(() => live(sweep, script, { clock: countingClock(), hashed: true }).hash);
    expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(hashes[0]).toBe(hashes[1]);
  });
});

describe('the plan', () => {
  const source = { scenarios: ['walkers', 'sparse'], populations: [50, 100], things: [300], players: 10 };
  const common = { source, contenders: [sweep, bruteForce], seed: 1, isSmoke: true };

  it('has every population of every scenario, and the densities', () => {
    const ids = crowdPlans({ ...common, hasClaims: false }).map(({ label }) => label.id);
    expect(ids).toEqual([
      'population/walkers/50',
      'population/walkers/100',
      'population/sparse/50',
      'population/sparse/100',
      'density/walkers/3',
      'density/walkers/30',
    ]);
  });

  it('has a world by its things and players, and its own densities where it is alone', async () => {
    const world = { ...source, scenarios: ['world'] };
    const plans = crowdPlans({ ...common, source: world, hasClaims: false });
    expect(plans.map(({ label }) => label.id)).toEqual([
      'population/world/310',
      'density/world/3',
      'density/world/30',
    ]);
    const { crowds } = await measured(plans.slice(0, 2));
    expect(crowds[0]).toMatchObject({ entities: 310, movers: 10 });
    expect(crowds[0]?.perceived).toBeGreaterThan(30);
    expect(crowds[1]?.perceived).toBeLessThan(6);
    const both = crowdPlans({
      ...common,
      source: { ...source, scenarios: ['world', 'walkers'] },
      hasClaims: false,
    });
    expect(both.map(({ label }) => label.id)).toContain('density/walkers/30');
  });

  it('has no two crowds of one name', () => {
    const ids = crowdPlans({ ...common, hasClaims: true }).map(({ label }) => label.id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
