/**
 * What every log must do, whatever it is made of: the suites of all of them call this with a way to open a fresh one.
 */
import { expect, it } from 'vitest';
import type { Log } from '../../src/log/log.ts';

export const record = (value: number, length = 4): Uint8Array => new Uint8Array(length).fill(value);

/** What a follower was given: position and first byte. */
export async function followed(log: Log, from: number) {
  const taken: [position: number, value: number][] = [];
  let losses = 0;
  const stop = await log.follow(
    from,
    (position, bytes) => taken.push([position, bytes[0]!]),
    () => losses++,
  );
  return { taken, stop, losses: () => losses };
}

export async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece.slice());
  return new Uint8Array(Buffer.concat(all));
}

/** `open` answers a log without records; whoever opened it closes it. */
export function itIsALog(open: () => Promise<Log>): void {
  it('gives each record a position, one more each, from 1', async () => {
    const log = await open();
    expect(await log.last?.()).toBe(0);
    expect(await log.read(1)).toBeUndefined();
    expect(await Promise.all([log.append(record(1)), log.append(record(2))])).toEqual([1, 2]);
    expect(await log.last?.()).toBe(2);
    expect([...(await log.read(2))!]).toEqual([2, 2, 2, 2]);
    expect(await log.read(3)).toBeUndefined();
  });

  it('delivers to each follower all records from where it begins, in order, each once', async () => {
    const log = await open();
    for (let value = 1; value <= 600; value++) {
      if (value % 100 === 0) await log.append(record(value % 256));
      else void log.append(record(value % 256));
    }
    const [whole, late] = [await followed(log, 1), await followed(log, 599)];
    await log.append(record(7));
    await expect
      .poll(() => late.taken)
      .toEqual([
        [599, 599 % 256],
        [600, 600 % 256],
        [601, 7],
      ]);
    await expect.poll(() => whole.taken.length).toBe(601);
    expect(whole.taken.map(([position]) => position)).toEqual(Array.from({ length: 601 }, (_, i) => i + 1));
    expect(whole.losses() + late.losses()).toBe(0);
  });

  it('lets timers ring while its reader is slow', async () => {
    const log = await open();
    for (let value = 1; value <= 100; value++) void log.append(record(value));
    await expect.poll(() => log.last?.()).toBe(100);
    let [rings, taken] = [0, 0];
    const timer = setInterval(() => rings++, 5);
    const stop = await log.follow(
      1,
      () => {
        const fromMs = performance.now();
        while (performance.now() - fromMs < 12);
        taken++;
      },
      fail,
    );
    rings = 0;
    await expect.poll(() => taken).toBe(100);
    clearInterval(timer);
    stop();
    expect(rings).toBeGreaterThan(50);
  });

  it('delivers nothing from within follow, and nothing after the end', async () => {
    const log = await open();
    await log.append(record(1));
    const { taken, stop, losses } = await followed(log, 1);
    const other = await followed(log, 1);
    expect(other.taken).toEqual([]);
    await expect.poll(() => taken.length).toBe(1);
    stop();
    await log.append(record(2));
    await expect.poll(() => other.taken.length).toBe(2);
    expect([taken.length, losses()]).toEqual([1, 0]);
  });

  it('copies what it is given, a Node Buffer too: bytes used again do not change the log', async () => {
    const log = await open();
    for (const bytes of [record(1), Buffer.alloc(4, 1)]) {
      const appended = log.append(bytes);
      bytes.fill(9);
      expect([...(await log.read(await appended))!]).toEqual([1, 1, 1, 1]);
    }
  });

  it('gives plain bytes, no Node Buffer, whose slice would not copy', async () => {
    const log = await open();
    const kinds: unknown[] = [];
    await log.append(record(1));
    kinds.push((await log.read(1))?.constructor);
    const stop = await log.follow(1, (_, bytes) => kinds.push(bytes.constructor), fail);
    log.answer(async function* (question) {
      kinds.push(question.constructor);
      yield record(1);
    });
    for await (const piece of await log.ask(Buffer.alloc(1))) kinds.push(piece.constructor);
    await expect.poll(() => kinds).toEqual(Array.from({ length: 4 }, () => Uint8Array));
    stop();
  });

  it('keeps a record without bytes', async () => {
    const log = await open();
    expect(await log.append(new Uint8Array(0))).toBe(1);
    expect((await log.read(1))?.length).toBe(0);
  });

  it('asks one of those that answer, in pieces and in order, and gets nothing where nobody does', async () => {
    const log = await open();
    const asked = async () => [...(await gathered(await log.ask(record(3, 1))))];
    expect(await asked()).toEqual([]);
    const answerWith = (value: number) =>
      log.answer(async function* (question) {
        yield question;
        yield record(value, 2);
      });
    const stops = [answerWith(1), answerWith(2)];
    for (let times = 0; times < 8; times++) {
      const [question, ...answer] = await asked();
      expect(question).toBe(3);
      expect([
        [1, 1],
        [2, 2],
      ]).toContainEqual(answer);
    }
    stops[0]!();
    expect(await asked()).toEqual([3, 2, 2]);
    stops[1]!();
    expect(await asked()).toEqual([]);
  });
}

function fail(): never {
  throw new Error('called');
}
