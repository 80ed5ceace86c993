/** In which format members write: all replicas, of whatever version, find the same one by the log alone. */
import { describe, expect, it } from 'vitest';
import type { Formats } from '../../src/records/formats.ts';
import { readRecord, writeRecord } from '../../src/records/record.ts';
import type { ReplicaEvents } from '../../src/state/events.ts';
import { Replica } from '../../src/state/replica.ts';
import { digestOf } from '../../src/state/state-digest.ts';
import { loadReplica, storeReplica } from '../../src/state/stored-replica.ts';
import { callsRecord, goneRecord, helloRecord, type Items, markRecord } from '../record-makers.ts';

const EARLIER: Formats = [1, 1];
const LATER: Formats = [1, 2];

/** A log, and replicas of two versions that apply it. */
class Stage {
  readonly told: string[] = [];
  readonly later: Replica;
  readonly earlier: Replica;
  #nonce = 0;
  readonly #seqs = new Map<number, number>();

  constructor() {
    const events: ReplicaEvents = {
      gone: (member, why) => this.told.push(`${member.name} ${why}`),
      hello: (hello, outcome) => {
        if (typeof outcome === 'string') this.told.push(`${hello.name} ${outcome}`);
      },
      format: (format) => this.told.push(`format ${format}`),
    };
    this.later = new Replica({ world: {}, views: 'all', formats: LATER, events });
    this.earlier = new Replica({ world: {}, views: 'all', formats: EARLIER });
  }

  say(bytes: Uint8Array): void {
    for (const replica of [this.later, this.earlier]) replica.apply(replica.position + 1, bytes);
  }

  hello(name: string, formats: Formats): void {
    this.say(helloRecord({ name, formats, nonce: [++this.#nonce, 0], tick: this.later.tick }));
  }

  speaker(name: string) {
    const { number, incarnation } = this.later.members.liveByName(name)!;
    return { member: number, incarnation };
  }

  /** A member's next record, unless it is said again. */
  call(name: string, format: number, items: Items = {}, isAgain = false): void {
    const speaker = this.speaker(name);
    const seq = (this.#seqs.get(speaker.incarnation) ?? 0) + (isAgain ? 0 : 1);
    this.#seqs.set(speaker.incarnation, seq);
    this.say(callsRecord({ ...speaker, seq }, items).with(0, format));
  }

  bye(name: string, format = 1): void {
    const speaker = this.speaker(name);
    const seq = (this.#seqs.get(speaker.incarnation) ?? 0) + 1;
    this.say(writeRecord('bye', { ...speaker, seq }, () => {}, format));
  }

  mark(name: string, format = 1): void {
    this.say(markRecord(this.speaker(name), this.later.tick + 1).with(0, format));
  }

  /** What an earlier version and a later one make of the log so far. */
  get digests(): readonly [string, string] {
    return [String(digestOf(this.earlier)), String(digestOf(this.later))];
  }
}

const add = { request: 0, x: 1, y: 2, z: 0, patch: {}, key: '', keep: new Uint8Array(0), fields: {} };

describe('members write', () => {
  it('in the newest format of the first one', () => {
    const stage = new Stage();
    stage.hello('a', LATER);
    expect(stage.told).toEqual(['format 2']);
    expect(stage.later.members.format).toBe(2);
    // A node of the earlier version knows it, although it cannot read what follows.
    expect(stage.earlier.members.format).toBe(2);
  });

  it.each([
    ['leaves', (stage: Stage) => stage.bye('old'), ['old bye', 'format 2']],
    [
      'is gone',
      (stage: Stage) => stage.say(goneRecord(...numbersOf(stage, 'old'))),
      ['old told', 'format 2'],
    ],
    ['is replaced', (stage: Stage) => stage.hello('old', LATER), ['old replaced', 'format 2']],
    [
      'is silent',
      (stage: Stage) => {
        for (let i = 0; i < 6; i++) stage.mark('new');
      },
      ['old silent', 'other silent', 'format 2'],
    ],
  ])('in the earlier format until the last one that reads no other %s', (_what, end, told) => {
    const stage = new Stage();
    stage.hello('old', EARLIER);
    stage.hello('new', LATER);
    stage.hello('other', LATER);
    stage.call('new', 1, { adds: [add] });
    stage.mark('new');
    expect([stage.later.members.format, stage.earlier.world.size]).toEqual([1, 1]);
    expect(stage.digests[0]).toBe(stage.digests[1]);
    end(stage);
    expect(stage.told).toEqual(told);
    expect([stage.later.members.format, stage.earlier.members.format]).toEqual([2, 2]);
    expect(stage.digests[0]).toBe(stage.digests[1]);
  });

  it('in no lower format than before, though no member is left', () => {
    const stage = new Stage();
    stage.hello('a', LATER);
    stage.bye('a', 2);
    stage.hello('old', EARLIER);
    stage.hello('b', LATER);
    expect(stage.told).toEqual(['format 2', 'a bye', 'old format']);
    expect(stage.later.members.live().map(({ name }) => name)).toEqual(['b']);
  });
});

function numbersOf(stage: Stage, name: string): [number, number] {
  const { member, incarnation } = stage.speaker(name);
  return [member, incarnation];
}

describe('a record of another format than that of the world', () => {
  it('counts for nobody, and its writer says the same again in the right one', () => {
    const stage = new Stage();
    stage.hello('old', EARLIER);
    stage.hello('new', LATER);
    // As from before the log lost its end: no member writes so while an earlier one lives.
    stage.call('new', 2, { adds: [add] });
    stage.mark('new', 2);
    expect([stage.later.world.size, stage.earlier.world.size, stage.later.tick]).toEqual([0, 0, 0]);
    expect(stage.digests[0]).toBe(stage.digests[1]);
    stage.call('new', 1, { adds: [add] }, true);
    stage.mark('new', 1);
    expect([stage.later.world.size, stage.earlier.world.size, stage.later.tick]).toEqual([1, 1, 1]);
    expect(stage.digests[0]).toBe(stage.digests[1]);
  });

  it('was under way when the format rose: it does not count, and counts once when it is said again', () => {
    const stage = new Stage();
    stage.hello('old', EARLIER);
    stage.hello('new', LATER);
    stage.bye('old');
    stage.call('new', 1, { adds: [add] });
    expect(stage.later.world.size).toBe(0);
    stage.call('new', 2, { adds: [add] }, true);
    stage.call('new', 1, { adds: [add] }, true);
    expect(stage.later.world.size).toBe(1);
  });
});

describe('a hello', () => {
  it.each<[string, Formats, Formats, boolean]>([
    ['of an earlier version, where records are of the later format', LATER, EARLIER, false],
    ['of an earlier version, where one of it lives', EARLIER, EARLIER, true],
    ['of a later version, where one of the earlier lives', EARLIER, LATER, true],
    ['of a version that reads the earlier format no more, where one of that lives', EARLIER, [2, 3], false],
    ['of a version that reads the earlier format no more, where none of that lives', LATER, [2, 3], true],
  ])('%s', (_what, theirs, own, isMember) => {
    const stage = new Stage();
    stage.hello('a', theirs);
    stage.hello('b', own);
    // Replicas of both versions agree.
    for (const { members } of [stage.earlier, stage.later])
      expect(members.liveByName('b') !== undefined).toBe(isMember);
    if (!isMember) expect(stage.told).toContain('b format');
  });

  it('comes just before the last one of its version leaves, or just after', () => {
    for (const isBefore of [true, false]) {
      const stage = new Stage();
      stage.hello('old', EARLIER);
      stage.hello('new', LATER);
      if (isBefore) stage.hello('late', EARLIER);
      stage.bye('old');
      if (!isBefore) stage.hello('late', EARLIER);
      const format = isBefore ? 1 : 2;
      for (const { members } of [stage.earlier, stage.later]) {
        expect(members.format).toBe(format);
        expect(members.liveByName('late') !== undefined).toBe(isBefore);
      }
      expect(stage.digests[0]).toBe(stage.digests[1]);
    }
  });

  it('and what else decides who is a member is of the first format, whoever reads it', () => {
    for (const bytes of [helloRecord(), goneRecord(1, 2)]) {
      expect(readRecord(bytes, [2, 3]).format).toBe(1);
      expect(() => readRecord(bytes.with(0, 2), LATER)).toThrow(
        expect.objectContaining({ code: 'BAD_RECORD' }),
      );
    }
  });

  it.each<[number, number]>([
    [2, 1],
    [0, 1],
  ])('is no record with the formats %i to %i', (oldest, newest) => {
    expect(() => readRecord(helloRecord({ formats: [oldest, newest] }))).toThrow(
      expect.objectContaining({ code: 'BAD_RECORD' }),
    );
  });
});

describe('a stored state', () => {
  it('is read by those who read the records of its world', () => {
    const stage = new Stage();
    stage.hello('old', EARLIER);
    stage.hello('new', LATER);
    const options = { world: {}, views: 'all' } as const;
    const early = storeReplica(stage.later);
    expect(early).toEqual(storeReplica(stage.earlier));
    expect(loadReplica(early, { ...options, formats: EARLIER }).members.format).toBe(1);
    stage.bye('old');
    const late = storeReplica(stage.later);
    expect(loadReplica(late, { ...options, formats: LATER }).members.format).toBe(2);
    expect(() => loadReplica(late, { ...options, formats: EARLIER })).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('are of format 2, this node reads 1.'),
      }),
    );
    expect(() => loadReplica(early, { ...options, formats: [2, 3] })).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED',
        message: expect.stringContaining('this node reads 2 to 3'),
      }),
    );
  });

  it('of the first format has the bytes that versions without others wrote', () => {
    const stage = new Stage();
    stage.hello('a', EARLIER);
    expect([...storeReplica(stage.later).subarray(0, 8)]).toEqual([0x75, 0x6d, 0x77, 0x63, 2, 0, 1, 0]);
  });
});
