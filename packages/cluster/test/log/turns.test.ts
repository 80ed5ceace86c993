/** Which questions are answered, and when, on a clock of the test. */
import { expect, it } from 'vitest';
import { type Question, Turns } from '../../src/log/nats/turns.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';

/** A process whose clock moves on while it works. */
class Stage {
  readonly time = new VirtualTime();
  readonly told: string[] = [];
  readonly turns: Turns;
  #workedMs = 0;

  constructor() {
    this.turns = new Turns({
      now: () => this.time.now + this.#workedMs,
      after: (milliseconds, call) => this.time.after(milliseconds, call),
    });
  }

  get workedMs(): number {
    return this.#workedMs;
  }

  /** An answer that takes `workMs` to make, and then `sendMs` until the asker has it. */
  ask(place: string, { workMs = 0, sendMs = 0, isThere = true, isSilent = false } = {}): void {
    const question: Question = {
      place,
      prove: () => (isSilent ? new Promise(() => {}) : Promise.resolve(isThere)),
      answer: () => {
        this.told.push(place);
        this.turns.work(() => {
          this.#workedMs += workMs;
        });
        return new Promise((resolve) => this.time.after(sendMs, resolve));
      },
      refuse: () => this.told.push(`not ${place}`),
    };
    this.turns.take(question);
  }

  count(said: string): number {
    return this.told.filter((each) => each === said).length;
  }
}

it('answers take a fifth of the time, however many are asked, and more only after a pause', async () => {
  const flooded = new Stage();
  for (let ms = 0; ms < 20_000; ms += 5) {
    for (let times = 0; times < 4; times++) flooded.ask('flood', { workMs: 25 });
    await flooded.time.run(ms + 5);
  }
  const share = flooded.workedMs / (20_000 + flooded.workedMs);
  expect(share).toBeGreaterThan(0.18);
  expect(share).toBeLessThan(0.22);
  const { answered, refused } = flooded.turns.counts;
  expect(answered).toBe(flooded.count('flood'));
  expect(answered + refused).toBeGreaterThan(15_900);
});

it('ten that ask at once are answered at once, by small work all of them', async () => {
  const stage = new Stage();
  for (let times = 0; times < 8; times++) stage.ask('node', { workMs: 25 });
  expect(stage.count('node')).toBe(8);
  const other = new Stage();
  for (let times = 0; times < 1000; times++) {
    other.ask('node', { workMs: 0.01 });
    await other.time.run(times + 1);
  }
  expect(other.count('node')).toBe(1000);
});

it('an asker of another place comes next, whatever one place asks', async () => {
  const stage = new Stage();
  for (let times = 0; times < 40; times++) stage.ask('flood', { workMs: 100 });
  await stage.time.run(100);
  stage.ask('node', { workMs: 100 });
  const before = stage.count('flood');
  await stage.time.run(1900);
  expect(stage.count('node')).toBe(1);
  // One of the flood's may have had its turn before.
  const answers = stage.told.filter((said) => !said.startsWith('not'));
  expect(answers.indexOf('node')).toBeLessThanOrEqual(before + 1);
});

it('one place has eight answers under way, all places have sixteen', async () => {
  const stage = new Stage();
  for (const place of ['a', 'b', 'c']) {
    for (let times = 0; times < 9; times++) stage.ask(place, { sendMs: 1000 });
  }
  await stage.time.run(500);
  expect(['a', 'b', 'c'].map((place) => stage.count(place))).toEqual([8, 8, 0]);
  await stage.time.run(1500);
  // The ninth of b, and of c, was one too many to wait: eight of them did since a's ninth.
  expect(['a', 'b', 'c'].map((place) => stage.count(place))).toEqual([9, 8, 8]);
  expect(['not b', 'not c'].map((said) => stage.count(said))).toEqual([1, 1]);
});

it('a question that waits is answered only if its asker is there, and by two seconds at most', async () => {
  const stage = new Stage();
  stage.ask('first', { workMs: 300 });
  stage.ask('forged', { isThere: false });
  stage.ask('silent', { isSilent: true });
  stage.ask('node');
  await stage.time.run(1999);
  expect(stage.told).toEqual(['first', 'not forged', 'node']);
  await stage.time.run(2001);
  expect(stage.told).toEqual(['first', 'not forged', 'node', 'not silent']);
  expect(stage.turns.counts).toEqual({ answered: 2, refused: 2 });
});

it('eight of one place wait, and sixty-four of all; all others are refused at once', () => {
  const stage = new Stage();
  stage.ask('first', { workMs: 300 });
  for (let times = 0; times < 10; times++) stage.ask('one', { isSilent: true });
  expect(stage.count('not one')).toBe(2);
  for (let place = 0; place < 60; place++) stage.ask(`place ${place}`, { isSilent: true });
  expect(stage.turns.counts).toEqual({ answered: 1, refused: 6 });
});

it('all that wait are refused at the end', async () => {
  const stage = new Stage();
  stage.ask('first', { workMs: 300 });
  stage.ask('second');
  stage.turns.end();
  await stage.time.run(5000);
  expect(stage.told).toEqual(['first', 'not second']);
});
