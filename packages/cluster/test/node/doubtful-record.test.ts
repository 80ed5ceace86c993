/** What becomes of a record that was on its way when its node copied a state: see also the simulation. */
import { describe, expect, it } from 'vitest';
import { DoubtfulRecord } from '../../src/node/doubtful-record.ts';
import { Outbox } from '../../src/node/outbox.ts';
import { FORMAT } from '../../src/records/formats.ts';
import { Members } from '../../src/state/members.ts';
import { helloOf } from '../record-makers.ts';
import { planOf } from '../simulation/plan.ts';
import { simulate } from '../simulation/simulation.ts';

/** A world of one member, whose next record is `seq`; and that record, with a message and two adds. */
function doubtful(seq: number) {
  const members = new Members();
  const member = members.add(helloOf(), 1, 0);
  member.seq = (seq + 2 ** 32 - 1) % 2 ** 32;
  const outbox = new Outbox(1e6, 2);
  outbox.put('sends', { id: 1024, bytes: Uint8Array.of(1) });
  for (const request of [4, 5]) {
    const place = { x: 0, y: 0, z: 0 };
    outbox.put('adds', { request, ...place, patch: {}, key: '', fields: {}, keep: new Uint8Array(0) });
  }
  return { members, member, outbox, record: new DoubtfulRecord(member, outbox.take(FORMAT)) };
}

describe('a record that was on its way when its node copied a state', () => {
  it.each([9, 0, 2 ** 32 - 1])('is heard when the log tells of it later, number %i', (seq) => {
    const { members, record } = doubtful(seq);
    expect(record.judge(members)).toBe(false);
    expect(record.isHeard).toBe(false);
    record.heard((seq + 1) % 2 ** 32);
    expect(record.isHeard).toBe(false);
    record.heard(seq);
    expect(record.isHeard).toBe(true);
  });

  it.each([9, 0, 2 ** 32 - 1])(
    'was heard where its member had said it before the state was made, number %i',
    (seq) => {
      const { members, member, record } = doubtful(seq);
      member.seq = (seq + 3) % 2 ** 32;
      expect(record.judge(members)).toBe(false);
      expect(record.isHeard).toBe(true);
    },
  );

  it.each([
    ['had not said it', 8, false],
    ['had said it', 9, true],
  ])('is settled where its member is gone, and %s', (_what, last, isHeard) => {
    const { members, member, record } = doubtful(9);
    member.seq = last;
    member.isGone = true;
    expect([record.judge(members), record.isHeard]).toEqual([true, isHeard]);
    // A mark later it is among the departed.
    members.endGone(1);
    expect([record.judge(members), record.isHeard]).toEqual([true, isHeard]);
    // So long after that nobody knows, and what may have been heard is not said again.
    members.endGone(100);
    expect([record.judge(members), record.isHeard]).toEqual([true, true]);
  });

  it('is said again before what was called since, but for what only an owner may say', () => {
    const { outbox, record } = doubtful(9);
    outbox.put('sends', { id: 1024, bytes: Uint8Array.of(2) });
    outbox.put('removes', 1024);
    outbox.disown();
    outbox.sayAgain(record.parcel);
    const { lists } = outbox.take(FORMAT);
    expect(Object.keys(lists).toSorted()).toEqual(['adds', 'sends']);
    expect(lists.sends?.map((bytes) => bytes.at(-1))).toEqual([1, 2]);
    expect(record.requests).toEqual([4, 5]);
  });
});

describe('a cluster whose log loses its end while records are late', () => {
  // In each of them a node copied a state while its record was on its way, which came after all.
  it.each([113, 538])('hears each message once, seed %i', async (seed) => {
    const plan = planOf(seed, { durationMs: 6000, calmMs: 2500, entities: 200 });
    const storm = { atMs: 1500, kind: 'storm' as const, node: 0, forMs: 4500, amount: 1 };
    const kinds = ['tail', 'broker', 'partition', 'cut'];
    const faults = [storm, ...plan.faults.filter(({ kind }) => kinds.includes(kind))];
    expect((await simulate({ ...plan, faults })).problem).toBeUndefined();
  });
});
