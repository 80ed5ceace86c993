/**
 * The feed's answer to why two entities are related or not, in both directions.
 *
 * JSON, as all text of the feed. Numbers that JSON cannot hold, such as the seats of a watcher without a cap, are left out.
 * The reader never throws.
 */

/** Longest sentence, in characters: reasons of pins are the user's own texts. */
export const SENTENCE_MAX = 400;

/** One direction. Distances in world units. */
export interface Answer {
  related: boolean;
  /** The rule that decided, as `World.explain` names it. */
  rule: string;
  sentence: string;
  senses: string[];
  distance: number;
  reach: number;
  margin: number;
  /** Present if the cap decided. */
  seats?: number;
  place?: number;
  rank?: number;
  lastSeatedRank?: number;
  weight?: number;
}

/** As of the last tick. */
export interface ExplanationNews {
  type: 'explanation';
  tick: number;
  from: number;
  to: number;
  /** From the first to the second, and back; both absent if either entity is gone. */
  forth?: Answer;
  back?: Answer;
}

/** Members of an `Answer` that may be absent. */
export const CAP_FIGURES = ['seats', 'place', 'rank', 'lastSeatedRank', 'weight'] as const;

export function readExplanation(message: Record<string, unknown>): ExplanationNews | undefined {
  const { tick, from, to, forth, back } = message;
  if (!isWhole(tick) || !isWhole(from) || !isWhole(to)) return undefined;
  if (forth === undefined && back === undefined) return { type: 'explanation', tick, from, to };
  const answers = [readAnswer(forth), readAnswer(back)];
  const [there, andBack] = answers;
  if (there === undefined || andBack === undefined) return undefined;
  return { type: 'explanation', tick, from, to, forth: there, back: andBack };
}

function readAnswer(value: unknown): Answer | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { related, rule, sentence, senses, distance, reach, margin, ...rest } = value as Record<
    string,
    unknown
  >;
  if (typeof related !== 'boolean' || typeof rule !== 'string' || typeof sentence !== 'string')
    return undefined;
  if (!isNumber(distance) || !isNumber(reach) || !isNumber(margin)) return undefined;
  if (!Array.isArray(senses) || !senses.every((sense) => typeof sense === 'string')) return undefined;
  const answer: Answer = { related, rule, sentence, senses, distance, reach, margin };
  for (const name of CAP_FIGURES) {
    const figure = rest[name];
    if (figure === undefined) continue;
    if (!isNumber(figure)) return undefined;
    answer[name] = figure;
  }
  return answer;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isWhole(value: unknown): value is number {
  return isNumber(value) && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
}
