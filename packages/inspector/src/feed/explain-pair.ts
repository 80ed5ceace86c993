/** Asks a world why two entities are related or not, both ways. Accepts any two numbers, since pages may send any. */
import type { EntityId, Explanation, WorldReader } from 'umwelt';
import { type Answer, CAP_FIGURES, type ExplanationNews, SENTENCE_MAX } from '../explanation-news.ts';
import { isShown } from './relations.ts';

/** Cost: a check of the pair; if the cap cut it, also a check of the watcher's candidates. */
export function explainPair(world: WorldReader, from: EntityId, to: EntityId): ExplanationNews {
  const news: ExplanationNews = { type: 'explanation', tick: world.tickCount, from, to };
  if (!world.has(from) || !world.has(to)) return news;
  return { ...news, forth: answer(world, from, to), back: answer(world, to, from) };
}

function answer(world: WorldReader, watcher: EntityId, marker: EntityId): Answer {
  return isShown(world, watcher) ? answerOf(world.explain(watcher, marker)) : notShown(watcher);
}

/** The answer for a watcher that this process does not show, in a world that several processes share. */
function notShown(watcher: EntityId): Answer {
  const sentence = `the view of ${watcher} is not known here: another process shows it, or none does`;
  return { related: false, rule: 'not shown', sentence, senses: [], distance: 0, reach: 0, margin: 0 };
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
