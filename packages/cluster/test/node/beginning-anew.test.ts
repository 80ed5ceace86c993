/** When a node takes all others to be ahead of the log as well: see also the simulation. */
import { UmweltError } from 'umwelt';
import { expect, it } from 'vitest';
import { type Log, memoryLog } from '../../src/index.ts';
import { beginAnew, type WayOn } from '../../src/node/beginning-anew.ts';
import { type Environment, SYSTEM } from '../../src/node/environment.ts';
import type { Formats } from '../../src/records/formats.ts';
import { NOBODY, writeAnew, writeRecord } from '../../src/records/record.ts';
import { Replica } from '../../src/state/replica.ts';
import { callsRecord, goneRecord, helloRecord, markRecord } from '../record-makers.ts';
import { VirtualTime } from '../simulation/virtual-time.ts';

const PATIENCE_MS = 6000;

function onTime(time: VirtualTime): Environment {
  return { ...SYSTEM, now: () => time.now, after: (milliseconds, call) => time.after(milliseconds, call) };
}

/** A node without a state begins anew by the log, as it does where no member gives it one, with what of its way is given. */
function begins(time: VirtualTime, log: Log, own: Partial<WayOn>, formats?: Formats): void {
  const way: WayOn = {
    patienceMs: 1000,
    copyFrom: async () => 'none',
    unread: () => {},
    isOver: () => false,
    won: () => {},
    ...own,
  };
  const replica = new Replica({ world: {}, views: 'own', ...(formats && { formats }) });
  time.after(0, () => beginAnew(log, onTime(time), replica, way));
}

/** A log without records to read, whose follower hears what `tell` says. */
function toldLog({ append, last }: Required<Pick<Log, 'append' | 'last'>>) {
  let take: ((position: number, bytes: Uint8Array) => void) | undefined;
  const log: Log = {
    append,
    follow: async (_from, taking) => {
      take = taking;
      return () => {};
    },
    read: async () => undefined,
    last,
    ask: async () => (async function* () {})(),
    answer: () => () => {},
  };
  return { log, tell: (position: number, bytes: Uint8Array) => take?.(position, bytes) };
}

/** At what time a node that nobody answers says so, if it cannot reach the log until then. */
async function saidAt(reachableMs: number): Promise<number | undefined> {
  const time = new VirtualTime();
  const inner = memoryLog();
  const reached = async <T>(call: () => Promise<T>): Promise<T> => {
    if (time.now < reachableMs) throw new Error('not connected');
    return call();
  };
  let at: number | undefined;
  const log: Log = {
    append: (bytes) =>
      reached(() => {
        at ??= time.now;
        return inner.append(bytes);
      }),
    follow: (from, take, lost) => reached(() => inner.follow(from, take, lost)),
    read: (position) => reached(() => inner.read(position)),
    last: () => reached(async () => 0),
    ask: (bytes) => reached(() => inner.ask(bytes)),
    answer: (how) => inner.answer(how),
  };
  begins(time, log, {
    patienceMs: PATIENCE_MS,
    copyFrom: () => reached(async () => 'none' as const),
    isOver: () => at !== undefined,
  });
  await time.run(reachableMs + 3 * PATIENCE_MS);
  return at;
}

it.each([0, 500, 20_000])('time without the log is no silence of others, %i ms', async (reachableMs) => {
  const at = await saidAt(reachableMs);
  expect(at).toBeGreaterThan(reachableMs + PATIENCE_MS);
  expect(at).toBeLessThan(reachableMs + PATIENCE_MS + 2000);
});

it('a record that the log discarded unread may have been another node that began anew', async () => {
  const time = new VirtualTime();
  let last = 0;
  const won: number[] = [];
  const { log, tell } = toldLog({
    // The first time another node's comes just before it, and only the newest record is kept.
    append: async (bytes) => {
      last += last === 0 ? 2 : 1;
      const position = last;
      const copy = bytes.slice();
      time.after(1, () => tell(position, copy));
      return position;
    },
    last: async () => last,
  });
  begins(time, log, { won: (position) => won.push(position) });
  await time.run(10_000);
  // Who read the other's record goes on from that one, and knows that the second was written without it.
  expect(won).toEqual([3]);
});

// The node read the log from a later record on, so the other's may have counted for all others: they go on from its state.
it('waits for a node that began anew by a record that does not count here', async () => {
  const time = new VirtualTime();
  let at: number | undefined;
  const { log, tell } = toldLog({
    append: async () => {
      at ??= time.now;
      return 9;
    },
    last: async () => 0,
  });
  const others = { nonce: [1, 2] as const, position: 0, chain: [0, 0] as const, seen: 3 };
  const bytes = writeRecord('anew', NOBODY, (writer) => writeAnew(writer, others));
  time.after(1500, () => tell(8, bytes));
  begins(time, log, { isOver: () => at !== undefined });
  await time.run(10_000);
  expect(at).toBeGreaterThan(3500);
  expect(at).toBeLessThan(4000);
});

const speaker = { member: 0, incarnation: 1, seq: 1 };

it.each<[string, string, Formats, Uint8Array]>([
  ['is', 'a record of an earlier format', [2, 3], callsRecord(speaker, {})],
  ['is', 'a record of a later format', [1, 1], callsRecord(speaker, {}).with(0, 2)],
  ['is not', 'a hello', [1, 1], helloRecord()],
  ['is not', 'a hello', [2, 3], helloRecord()],
  ['is not', 'a gone', [2, 3], goneRecord(1, 2)],
  // Forged: these are of the first format in every version.
  ['is not', 'a hello of a later format', [1, 1], helloRecord().with(0, 2)],
  ['is not', 'a gone of a later format', [1, 1], goneRecord(1, 2).with(0, 2)],
])('a world %s taken for alive because of %s, by a node of formats %j', async (is, _what, formats, bytes) => {
  const time = new VirtualTime();
  const log = memoryLog();
  let at: number | undefined;
  for (let ms = 0; ms < 10_000; ms += 500) time.after(ms, () => void log.append(bytes));
  const isOver = () => at !== undefined;
  const won = () => {
    at = time.now;
  };
  begins(time, log, { isOver, won }, formats);
  await time.run(10_000);
  expect(at === undefined).toBe(is === 'is');
});

it.each<[string, string, (count: number) => number]>([
  ['is', 'ticks are marked one after the other', (count) => 7 + count],
  ['is', 'it goes on below a late copy of a high tick', (count) => (count === 0 ? 90 : 7 + count)],
  ['is not', 'a node that has not noticed the loss repeats its mark', () => 7],
  ['is not', 'two nodes that have not noticed the loss repeat theirs', (count) => 7 + (count % 2)],
  ['is not', 'late copies of earlier marks come', (count) => 7 - (count % 3)],
])('a world %s taken for alive because %s', async (is, _what, tickOf) => {
  const time = new VirtualTime();
  const log = memoryLog();
  let at: number | undefined;
  for (let count = 0; count < 20; count++)
    time.after(500 * count, () => void log.append(markRecord(speaker, tickOf(count))));
  const won = () => {
    at = time.now;
  };
  begins(time, log, { isOver: () => at !== undefined, won });
  await time.run(10_000);
  expect(at === undefined).toBe(is === 'is');
  // As where nothing comes at all: two seconds, and one of grace.
  if (at !== undefined) expect(at).toBeLessThan(4000);
});

const LATER_CALLS = callsRecord(speaker, {}).with(0, 2);

it.each<[string, string, readonly Uint8Array[]]>([
  ['is', 'the log has records of that format', [markRecord(speaker, 1), LATER_CALLS]],
  ['is not', 'the log has none yet', []],
  ['is not', 'the log has a forged hello of that format', [markRecord(speaker, 1), helloRecord().with(0, 2)]],
  ['is not', 'the log went on in a format that it reads', [LATER_CALLS, markRecord(speaker, 1)]],
])('a node %s refused by a member whose state it cannot read where %s', async (is, _why, records) => {
  const time = new VirtualTime();
  const log = memoryLog();
  for (const bytes of records) await log.append(bytes);
  const told: boolean[] = [];
  let asked = 0;
  let end = '';
  const way: Partial<WayOn> = {
    copyFrom: async () => {
      // Ten answers of that member, then one of a world that the node reads.
      if (asked++ < 10) throw new UmweltError('UNSUPPORTED', 'the state is of version 3');
      end = 'taken';
      return 'taken';
    },
    unread: (_error, isFinal) => {
      told.push(isFinal);
      if (isFinal) end = 'refused';
    },
    isOver: () => end !== '',
    won: () => {
      end = 'began anew';
    },
  };
  begins(time, log, way, [1, 1]);
  await time.run(10_000);
  expect([end, told.at(-1)]).toEqual(is === 'is' ? ['refused', true] : ['taken', false]);
});
