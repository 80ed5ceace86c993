/**
 * Checks options once, at the API boundary, so that generators can trust their numbers.
 *
 * Every option of a scenario is a number with a minimum and a maximum; a member that is `undefined` counts as absent. An invalid
 * value is an `UmweltError` `BAD_OPTION` that names the option, the given value and the accepted range; so is an option that the
 * scenario does not have.
 */
import { UmweltError } from 'umwelt';

/** The accepted values of an option. Bounds are inclusive. */
export interface NumberRule {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly whole?: boolean;
}

/** Maximum number of entities in one `World` at a time. */
export const MOST_ENTITIES = 4_193_280;

/** Options of every scenario. A generator overrides defaults that do not suit it. */
export const COMMON_RULES = {
  entities: { default: 5000, min: 1, max: MOST_ENTITIES, whole: true },
  seed: { default: 1, min: -Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, whole: true },
  tickSeconds: { default: 0.05, min: 0.001, max: 10 },
  range: { default: 50, min: 0.001, max: 1e6 },
  speed: { default: 5, min: 0, max: 1e6 },
  perceived: { default: 30, min: 0.1, max: 1e6 },
} satisfies Record<string, NumberRule>;

/** `value`, if it satisfies `rule`. `subject` starts the message: "scenario 'city'". */
export function checkNumber(subject: string, field: string, value: unknown, rule: NumberRule): number {
  const fits =
    typeof value === 'number' &&
    value >= rule.min &&
    value <= rule.max &&
    (rule.whole !== true || Number.isInteger(value));
  if (fits) return value;
  const sort = rule.whole === true ? 'a whole number' : 'a number';
  throw new UmweltError(
    'BAD_OPTION',
    `${subject}: ${field} is ${told(value)}; expected ${sort} from ${rule.min} to ${rule.max}`,
    { field, value },
  );
}

/** A value in a message. Total: an object without a prototype has no `toString`. */
export function told(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Rejects `options` that are no object, and members that are not in `known`. */
export function checkNames(subject: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    throw new UmweltError('BAD_OPTION', `${subject}: options are ${told(options)}; expected an object`, {
      field: 'options',
      value: options,
    });
  }
  for (const field of Object.keys(options)) {
    if (known.includes(field)) continue;
    throw new UmweltError('BAD_OPTION', `${subject} has no option '${field}'; it has ${known.join(', ')}`, {
      field,
      value: (options as Record<string, unknown>)[field],
    });
  }
}

/** The options by name, checked, with defaults for absent ones. */
export function numberOptions<Rules extends Record<string, NumberRule>>(
  subject: string,
  options: object,
  rules: Rules,
): { [Name in keyof Rules]: number } {
  checkNames(subject, options, Object.keys(rules));
  const given = options as Record<string, unknown>;
  const numbers: Record<string, number> = {};
  for (const [field, rule] of Object.entries(rules)) {
    numbers[field] =
      given[field] === undefined ? rule.default : checkNumber(subject, field, given[field], rule);
  }
  return numbers as { [Name in keyof Rules]: number };
}
