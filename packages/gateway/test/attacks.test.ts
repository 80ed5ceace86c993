/**
 * Some attacks of `npm run fuzz -- attacks`, for a moment: nobody honest is thrown out, and newcomers get in. What it costs others in
 * time is measured by the command, on a quiet machine.
 */
import { expect, it } from 'vitest';
import { runAttack } from './attacks/attack-stage.ts';

it.each(['pipelines', 'half-open', 'hellos', 'after-close'])(
  'an attack by %s throws nobody out and keeps nobody out',
  async (name) => {
    const { before, during, after, lost, tally } = await runAttack({
      name,
      seconds: 0.5,
      clients: 5,
      address: '127.0.0.2',
      settles: false,
    });
    expect(tally.opened).toBeGreaterThan(0);
    expect(lost).toBe(0);
    expect(during.joinsFailed + after.joinsFailed).toBe(0);
    expect(Math.min(before.joins, during.joins, after.joins)).toBeGreaterThan(0);
  },
);
