/**
 * The engine with rules: a leave margin, a cap that a crowd of walkers never reaches, and both with three senses.
 *
 * Each has a judge: the same rules with the detector that is the definition, because the brute-force loops that judge
 * plain engines have no rules. The cap needs no judge: a cap that is never reached gives the same reports as no cap.
 */
import type { Interest, WorldOptions } from 'umwelt';
import type { EngineKind } from './engine.ts';
import { type OddCalls, THREE_SENSES, umweltVariant } from './umwelt.ts';

/** A twentieth of a walker's range of 50. */
const MARGIN: Interest = { leaveMargin: 2.5 };
/** Never reached: walkers perceive 30 on average. */
const ROOMY_CAP: Interest = { cap: 100 };
/** Both. */
export const ALL_RULES: Interest = { ...MARGIN, ...ROOMY_CAP };

/** An engine with an interest, and its judge. */
export interface JudgedEngine {
  readonly engine: EngineKind;
  readonly judge: EngineKind;
}

function withInterest(name: string, title: string, interest: Interest, hasThreeSenses = false): JudgedEngine {
  const senses = hasThreeSenses ? THREE_SENSES : undefined;
  return judgedVariant(name, title, { interests: { default: interest } }, senses);
}

/** The engine with options of its world, and the same with the detector that is the definition. */
export function judgedVariant(
  name: string,
  title: string,
  given: WorldOptions = {},
  senses?: Readonly<Record<string, number>>,
  calls?: OddCalls,
): JudgedEngine {
  const options = { ...given, ...(senses === undefined ? {} : { senses: Object.keys(senses) }) };
  return {
    engine: umweltVariant(name, title, options, 'columns', senses, calls),
    judge: umweltVariant(
      `${name}-judge`,
      title,
      { ...options, detector: 'brute-force' },
      'columns',
      senses,
      calls,
    ),
  };
}

export const umweltMargin = withInterest('umwelt-margin', 'umwelt, margin', MARGIN);
export const umweltCap = withInterest('umwelt-cap', 'umwelt, cap 100', ROOMY_CAP);
export const umweltAllRules = withInterest(
  'umwelt-all-rules',
  'umwelt, three senses, margin, cap 100',
  ALL_RULES,
  true,
);
