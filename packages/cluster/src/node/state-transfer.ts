/**
 * Questions to members: their state, for a joining node; the status of the world, for `clusterStatus`; the settings that all
 * members share, for an observer.
 */
import { UmweltError } from 'umwelt';
import type { Log } from '../log/log.ts';
import { STANDING_QUESTION } from '../status/world-standing.ts';

const PIECE_BYTES = 256 * 1024;
/** Largest accepted state. A state of four million entities takes a fifth of it. */
const STATE_BYTES_MAX = 2 ** 30;
const QUESTION = Uint8Array.of(1);
const SETTINGS_QUESTION = Uint8Array.of(3);

/** `undefined` if no member answers. Rejects if the answer is cut short, or larger than any state. */
export function askForState(log: Log): Promise<Uint8Array | undefined> {
  return asked(log, QUESTION);
}

/** `undefined` if no member answers, or one of a version that does not know the question. Rejects as `askForState` does. */
export function askForSettings(log: Log): Promise<Uint8Array | undefined> {
  return asked(log, SETTINGS_QUESTION);
}

async function asked(log: Log, question: Uint8Array): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of await log.ask(question)) {
    length += piece.length;
    if (length > STATE_BYTES_MAX) {
      throw new UmweltError(
        'BAD_SNAPSHOT',
        `the answer is larger than any state: more than ${STATE_BYTES_MAX} bytes`,
      );
    }
    pieces.push(piece);
  }
  if (length === 0) return undefined;
  const state = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    state.set(piece, at);
    at += piece.length;
  }
  return state;
}

/** What members answer, as of the time of the question. */
export interface Answers {
  state(): Uint8Array;
  standing(): Uint8Array;
  settings(): Uint8Array;
}

/** Answers with nothing if the bytes are no question. `refused`: as in `Log.answer`. */
export function answerQuestions(
  log: Log,
  answers: Answers,
  refused: (reason: Error | undefined) => void,
): () => void {
  return log.answer((question) => {
    if (question[0] === QUESTION[0]) return piecesOf(answers.state());
    if (question[0] === STANDING_QUESTION[0]) return piecesOf(answers.standing());
    if (question[0] === SETTINGS_QUESTION[0]) return piecesOf(answers.settings());
    return piecesOf(new Uint8Array(0));
  }, refused);
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
