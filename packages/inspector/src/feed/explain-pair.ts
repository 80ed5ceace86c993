/** Asks a world why two entities are related, or not, both ways; of any two numbers, since pages may ask for any. */
import type { EntityId, Explanation, World } from 'umwelt';
import { type Answer, CAP_FIGURES, type ExplanationNews, SENTENCE_MAX } from '../explanation-news.ts';

/** Cost: a look at the pair; where the cap cut it, one at the watcher's candidates. */
export function explainPair(world: World, from: EntityId, to: EntityId): ExplanationNews {
  const news: ExplanationNews = { type: 'explanation', tick: world.tickCount, from, to };
  if (!world.has(from) || !world.has(to)) return news;
  return { ...news, forth: answerOf(world.explain(from, to)), back: answerOf(world.explain(to, from)) };
}

function answerOf(explanation: Explanation): Answer {
  const { related, rule, senses, distance, reach, margin } = explanation;
  const sentence = explanation.sentence.slice(0, SENTENCE_MAX);
  const answer: Answer = { related, rule, sentence, senses: [...senses], distance, reach, margin };
  for (const name of CAP_FIGURES) {
    const figure = explanation[name];
    if (figure !== undefined && Number.isFinite(figure)) answer[name] = figure;
  }
  return answer;
}
