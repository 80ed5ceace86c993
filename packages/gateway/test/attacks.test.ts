/**
 * Some attacks of `npm run fuzz -- attacks`, for a moment: nobody honest is thrown out, and newcomers get in. What it costs others in
 * time is measured by the command.
 */
import { expect, it, test } from 'vitest';
import { type PhaseFigures, runAttack } from './attacks/attack-stage.ts';
import { gapRatio } from './attacks/gap-ratio.ts';

it.each(['pipelines', 'half-open', 'hellos', 'after-close'])(
  'an attack by %s throws nobody out and keeps nobody out',
  async (name) => {
    const { quiet, attacked, lost, tally } = await runAttack({
      name,
      seconds: 0.5,
      rounds: 1,
      clients: 5,
      address: '127.0.0.2',
      settles: false,
    });
    expect(tally.opened).toBeGreaterThan(0);
    expect(lost).toBe(0);
    const phases = [...quiet, ...attacked];
    expect(phases).toHaveLength(3);
    expect(phases.map(({ joinsFailed }) => joinsFailed)).toEqual([0, 0, 0]);
    expect(Math.min(...phases.map(({ joins }) => joins))).toBeGreaterThan(0);
  },
);

const phase = (gapP99Ms: number): PhaseFigures => ({ gapP99Ms }) as PhaseFigures;

test('what others do to a machine is not taken for an attack, and an attack not for what others do', () => {
  const drifting = [60, 60, 90, 150, 400, 400].map(phase);
  const same = [60, 75, 115, 240, 400].map(phase);
  expect(gapRatio({ quiet: drifting, attacked: same }).median).toBeCloseTo(1, 1);
  // Somebody began and ended something in the midst of two of five.
  const burst = [60, 300, 115, 900, 400].map(phase);
  expect(gapRatio({ quiet: drifting, attacked: burst }).median).toBeLessThan(1.5);
  const doubled = [60, 75, 115, 240, 400].map((ms) => phase(2 * ms));
  expect(gapRatio({ quiet: drifting, attacked: doubled }).median).toBeCloseTo(2, 1);
  expect(gapRatio({ quiet: drifting, attacked: same }).quietEach).toHaveLength(4);
});
