/** Faults planted in the rules, one at a time, each with a seed whose simulation catches it. */
import { RULES, type Rules } from '../../src/state/rules.ts';
import { type Sabotage, SILENCE_TICKS, TICK_MS } from './process.ts';

export interface Planted {
  readonly name: string;
  readonly sabotage: Sabotage;
  readonly seed: number;
  /** Whether nodes are upgraded meanwhile. Default false. */
  readonly hasUpgrade?: boolean;
}

const withRules = (rules: Partial<Rules>): Sabotage => ({ rules: () => ({ ...RULES, ...rules }) });

/** Each node goes by when it heard of a member itself. */
function silenceByClock(now: () => number): Rules {
  const heard = new Map<number, { tick: number; at: number }>();
  return {
    ...RULES,
    isSilent: ({ incarnation, heardTick }) => {
      let last = heard.get(incarnation);
      if (last === undefined || last.tick !== heardTick) {
        last = { tick: heardTick, at: now() };
        heard.set(incarnation, last);
      }
      return now() - last.at > SILENCE_TICKS * TICK_MS;
    },
  };
}

export const PLANTED: readonly Planted[] = [
  { name: 'silence by clock', sabotage: { rules: silenceByClock }, seed: 6 },
  { name: 'memory not forgotten at rest', sabotage: withRules({ rest: () => {} }), seed: 2 },
  { name: 'no check of the tail', sabotage: { checksTail: false }, seed: 1 },
  { name: 'R1 without seq', sabotage: withRules({ isNext: () => true }), seed: 1 },
  { name: 'R1 without incarnation', sabotage: withRules({ isSame: () => true }), seed: 8 },
  { name: 'R2 left out', sabotage: withRules({ mayChange: () => true }), seed: 1 },
  { name: 'give without its state', sabotage: withRules({ keepsGoAlong: false }), seed: 1 },
  { name: 'showers changed without rest', sabotage: withRules({ restsBetweenShowers: false }), seed: 1 },
  {
    name: 'mark accepted twice',
    sabotage: withRules({ isNextMark: (tick, last) => tick === last + 1 || tick === last }),
    seed: 8,
  },
  {
    name: 'snapshot with a position off by one',
    sabotage: withRules({ storedPosition: (position) => position + 1 }),
    seed: 1,
  },
  {
    name: 'hash of owners by local order',
    sabotage: {
      rules: (_now, number) => ({
        ...RULES,
        adopterOf: (id, adopters) => adopters[((id >>> 10) + number) % Math.max(1, adopters.length)],
      }),
    },
    seed: 1,
  },
  {
    name: 'the newest format of all, not the newest that all read',
    sabotage: withRules({
      formatOf: (live, former) => Math.max(former, ...live.map(({ formats: [, newest] }) => newest)),
    }),
    seed: 1,
    hasUpgrade: true,
  },
  {
    name: 'records of any format that is read',
    sabotage: withRules({ isWritten: () => true }),
    seed: 1,
    hasUpgrade: true,
  },
];
