/** The goals: every figure that must be reached. See goals/goal-list.ts. */
import { goalCases } from '../goals/goal-cases.ts';
import type { Suite } from './suite.ts';

export const goals: Suite = {
  name: 'goals',
  summary: 'every required figure: met or missed, and by how much',
  cases: goalCases,
};
