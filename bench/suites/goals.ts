/** The goals: every figure that must be reached, measured in a few minutes. See goals/goal-list.ts. */
import { goalCases } from '../goals/goal-cases.ts';
import type { Suite } from './suite.ts';

export const goals: Suite = {
  name: 'goals',
  summary: 'every figure that must be reached: held or missed, and by how much',
  cases: goalCases,
};
