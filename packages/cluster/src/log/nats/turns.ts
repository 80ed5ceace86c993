/**
 * Which question a process answers next, and when: answers must not take the time that its ticks need, and a client that asks
 * without end must not keep the others from theirs.
 *
 * Work is measured. It may take a fifth of the process's time in the long run, and 250 ms at once after a pause: a state of 100,000
 * entities takes some 15 ms, so sixteen nodes may join at once, and then thirteen a second. One place gets at most 8 answers at a time, all
 * of them 16. A place is where a user's inboxes are: the broker lets each user read its own only. All that came without a user, or on
 * a broker without permissions, are of one place.
 *
 * A question that cannot be answered at once waits for at most 2 s: 8 of one place, 64 of all. Places take turns. A place may be
 * forged, so a question that waits is answered only if its asker was heard from there meanwhile. All others are told to ask again.
 */
import { REAL_TIME, type Time } from '../awake-timer.ts';

/** Answers that one process gives at once. */
const ANSWERS_MAX = 16;
const OF_ONE_PLACE_MAX = 8;
const WAITING_MAX = 64;
const WAITING_MS = 2000;
/** Of the process's time. */
const SHARE = 0.2;
const AT_ONCE_MS = 250;

export interface Question {
  /** Of the asker: see above. */
  readonly place: string;
  /** Resolves with whether the asker is there, as soon as that is known. Only called if the question has to wait. */
  prove(): Promise<boolean>;
  /** Resolves when the answer has ended. */
  answer(): Promise<void>;
  /** It is not answered. */
  refuse(): void;
}

interface Waiting {
  readonly question: Question;
  isProven: boolean;
  readonly cancel: () => void;
}

export class Turns {
  /** See `Log.questions`. */
  readonly counts = { answered: 0, refused: 0 };
  readonly #time: Time;
  /** By place; those asked from first are the next to be answered. */
  readonly #waiting = new Map<string, Waiting[]>();
  #waitingCount = 0;
  /** By place: how many answers are under way. */
  readonly #active = new Map<string, number>();
  #activeCount = 0;
  /** Milliseconds of work that may be done now; below 0 after work that took longer. */
  #credit = AT_ONCE_MS;
  #creditAtMs: number;
  #cancel: () => void = () => {};

  constructor(time: Time = REAL_TIME) {
    this.#time = time;
    this.#creditAtMs = time.now();
  }

  /** Answers it now, later, or not. */
  take(question: Question): void {
    if (this.#waitingCount === 0 && this.#hasRoom(question.place) && this.#settledCredit() > 0)
      this.#answer(question);
    else this.#wait(question);
  }

  /** Does part of an answer, and counts the time that it takes. */
  work<T>(part: () => T): T {
    const fromMs = this.#time.now();
    try {
      return part();
    } finally {
      this.#settledCredit();
      this.#credit -= this.#time.now() - fromMs;
    }
  }

  /** Refuses all that wait. */
  end(): void {
    this.#cancel();
    for (const list of [...this.#waiting.values()]) for (const each of [...list]) this.#refuse(each);
  }

  #answer(question: Question): void {
    const { place } = question;
    this.counts.answered++;
    this.#activeCount++;
    this.#active.set(place, (this.#active.get(place) ?? 0) + 1);
    void question.answer().finally(() => {
      this.#activeCount--;
      const left = (this.#active.get(place) ?? 1) - 1;
      if (left === 0) this.#active.delete(place);
      else this.#active.set(place, left);
      this.#next();
    });
  }

  #wait(question: Question): void {
    const list = this.#waiting.get(question.place) ?? [];
    if (list.length >= OF_ONE_PLACE_MAX || this.#waitingCount >= WAITING_MAX) {
      this.counts.refused++;
      question.refuse();
      return;
    }
    const waiting: Waiting = {
      question,
      isProven: false,
      cancel: this.#time.after(WAITING_MS, () => this.#refuse(waiting)),
    };
    this.#waiting.set(question.place, [...list, waiting]);
    this.#waitingCount++;
    void question.prove().then((isThere) => {
      if (!isThere) return this.#refuse(waiting);
      waiting.isProven = true;
      this.#next();
    });
  }

  #refuse(waiting: Waiting): void {
    if (!this.#forget(waiting)) return;
    this.counts.refused++;
    waiting.question.refuse();
  }

  /** False if it does not wait any more. */
  #forget(waiting: Waiting): boolean {
    const { place } = waiting.question;
    const list = this.#waiting.get(place) ?? [];
    const left = list.filter((each) => each !== waiting);
    if (left.length === list.length) return false;
    waiting.cancel();
    this.#waitingCount--;
    this.#waiting.delete(place);
    // Last, so that the other places come first.
    if (left.length > 0) this.#waiting.set(place, left);
    return true;
  }

  #next(): void {
    this.#cancel();
    const next = this.#firstReady();
    if (next === undefined) return;
    const credit = this.#settledCredit();
    if (credit > 0) {
      this.#forget(next);
      this.#answer(next.question);
    }
    // One in a turn of the event loop, which has more to do; all that is asked is a promise's job away from its answer.
    this.#cancel = this.#time.after(Math.max(1, -credit / SHARE), () => this.#next());
  }

  #firstReady(): Waiting | undefined {
    for (const [place, list] of this.#waiting) {
      const ready = this.#hasRoom(place) ? list.find(({ isProven }) => isProven) : undefined;
      if (ready !== undefined) return ready;
    }
    return undefined;
  }

  #hasRoom(place: string): boolean {
    return this.#activeCount < ANSWERS_MAX && (this.#active.get(place) ?? 0) < OF_ONE_PLACE_MAX;
  }

  #settledCredit(): number {
    const nowMs = this.#time.now();
    this.#credit = Math.min(AT_ONCE_MS, this.#credit + SHARE * (nowMs - this.#creditAtMs));
    this.#creditAtMs = nowMs;
    return this.#credit;
  }
}
