/** One replica and the rules by which records count, each by a few records. */
import type { WorldOptions } from 'umwelt';
import { expect, it } from 'vitest';
import { FORMAT, FORMATS } from '../../src/records/formats.ts';
import type { ReplicaEvents } from '../../src/state/events.ts';
import { isOutvoted, Replica } from '../../src/state/replica.ts';
import { RULES } from '../../src/state/rules.ts';
import { loadReplica, storeReplica } from '../../src/state/stored-replica.ts';
import { callsRecord, goneRecord, helloRecord, type Items, markRecord } from '../record-makers.ts';

/** A replica and its log; `members` are said by name. */
class Stage {
  readonly told: string[] = [];
  readonly replica: Replica;
  readonly ids: number[] = [];
  readonly #seqs = new Map<number, number>();

  constructor(views: 'own' | 'all' = 'all', world: WorldOptions = {}) {
    const events: ReplicaEvents = {
      added: (_member, _request, outcome) => {
        if (typeof outcome === 'number') this.ids.push(outcome);
        else this.told.push(outcome);
      },
      owner: (id, from, to, why) => this.told.push(`${this.ids.indexOf(id)}: ${from} to ${to} ${why}`),
      gone: (member, why) => this.told.push(`${member.name} ${why}`),
      hello: (hello, outcome) => {
        if (typeof outcome === 'string') this.told.push(`${hello.name} ${outcome}`);
      },
      message: (_id, owner, bytes) => this.told.push(`message ${[...bytes]} to ${owner}`),
    };
    this.replica = new Replica({ world, views, events });
  }

  say(bytes: Uint8Array): void {
    this.replica.apply(this.replica.position + 1, bytes);
  }

  hello(name: string, more: Parameters<typeof helloRecord>[0] = {}): void {
    const nonce = [name.charCodeAt(0), this.replica.position] as const;
    this.say(helloRecord({ name, nonce, tick: this.replica.tick, ...more }));
  }

  speaker(name: string) {
    const member = this.replica.members.liveByName(name)!;
    return { member: member.number, incarnation: member.incarnation };
  }

  call(name: string, items: Items): void {
    const speaker = this.speaker(name);
    const seq = (this.#seqs.get(speaker.incarnation) ?? 0) + 1;
    this.#seqs.set(speaker.incarnation, seq);
    this.say(callsRecord({ ...speaker, seq }, items));
  }

  mark(name: string): void {
    this.say(markRecord(this.speaker(name), this.replica.tick + 1));
  }

  owner(index: number): string | undefined {
    const code = this.replica.table.ownerOf(this.ids[index]!);
    return code === 0 ? undefined : this.replica.members.byNumber(code - 1)?.name;
  }
}

const add = (request = 0, key = '') => ({
  request,
  x: request,
  y: 0,
  z: 0,
  patch: { range: 10 },
  key,
  keep: new Uint8Array(0),
  fields: {},
});

function pair(world: WorldOptions = {}): Stage {
  const stage = new Stage('all', world);
  stage.hello('a');
  stage.hello('b');
  stage.call('a', { adds: [add(0), add(1)] });
  stage.mark('a');
  stage.told.length = 0;
  return stage;
}

it('a record that comes twice counts once, and one that is missed holds back those after it', () => {
  const stage = pair();
  const speaker = { ...stage.speaker('a'), seq: 2 };
  const bytes = callsRecord(speaker, { sends: [{ id: stage.ids[0]!, bytes: Uint8Array.of(5) }] });
  stage.say(callsRecord({ ...speaker, seq: 3 }, { removes: [stage.ids[0]!] }));
  stage.say(bytes);
  stage.say(bytes);
  expect(stage.told).toEqual(['message 5 to 1']);
});

it('of a former incarnation nothing counts, though the number is the same', () => {
  const stage = pair();
  const former = stage.speaker('b');
  stage.say(goneRecord(former.member, former.incarnation));
  stage.mark('a');
  stage.hello('c');
  expect(stage.speaker('c').member).toBe(former.member);
  stage.say(callsRecord({ ...former, seq: 1 }, { adds: [add()] }));
  expect(stage.replica.world.size).toBe(2);
  stage.call('c', { adds: [add()] });
  expect(stage.replica.world.size).toBe(3);
});

it('only the owner changes, removes, gives and keeps; refusals are counted by member', () => {
  const stage = pair();
  const [id] = stage.ids as [number];
  const { member, incarnation } = stage.speaker('b');
  stage.call('b', {
    moves: { ids: Uint32Array.of(id), x: Float32Array.of(9), y: Float32Array.of(9), z: undefined },
    updates: [{ id, patch: { range: 1 } }],
    touches: [id],
    removes: [id],
    ties: [
      {
        tie: 'pin',
        watcher: id,
        marker: stage.ids[1]!,
        reason: '',
        within: Number.POSITIVE_INFINITY,
        everyTicks: 0,
      },
    ],
    fields: [{ id, fields: { name: 'x' } }],
    keeps: [{ id, bytes: Uint8Array.of(1) }],
    gives: [{ id, member, incarnation }],
    teleports: [id],
  });
  expect([...stage.replica.world.position(id)]).toEqual([0, 0]);
  expect(stage.replica.table.fields.size + stage.replica.table.keeps.size).toBe(0);
  expect(stage.owner(0)).toBe('a');
  expect(stage.replica.members.liveByName('b')?.refused).toBe(9);
  expect(stage.told).toEqual([]);
});

it('what the world refuses is left out, and the rest of the record stands', () => {
  const stage = pair();
  const [first, second] = stage.ids as [number, number];
  stage.call('a', {
    moves: {
      ids: Uint32Array.of(first, second, 77),
      x: Float32Array.of(Number.NaN, 5, 1),
      y: Float32Array.of(0, 5, 1),
      z: undefined,
    },
    updates: [
      { id: first, patch: { range: -1 } },
      { id: first, patch: { watches: true } },
      { id: first, patch: { weight: 2 } },
    ],
  });
  expect([...stage.replica.world.position(first)]).toEqual([0, 0]);
  expect([...stage.replica.world.position(second)]).toEqual([5, 5]);
  expect(stage.replica.members.liveByName('a')?.refused).toBe(4);
});

it('a give to one that is gone changes nothing; else the owner is the receiver at once', () => {
  const stage = pair();
  const { member, incarnation } = stage.speaker('b');
  const [id] = stage.ids as [number];
  stage.call('a', {
    gives: [
      { id, member, incarnation: incarnation - 1 },
      { id, member: 900, incarnation },
    ],
  });
  expect(stage.owner(0)).toBe('a');
  stage.call('a', { gives: [{ id, member, incarnation }], sends: [{ id, bytes: Uint8Array.of(1) }] });
  stage.call('a', { removes: [id] });
  expect(stage.owner(0)).toBe('b');
  expect(stage.told).toEqual(['0: 1 to 2 given', 'message 1 to 2']);
});

it('an attached entity stands where its parent is, whoever owns that, until its owner detaches it', () => {
  const stage = pair();
  const [child] = stage.ids as [number];
  stage.call('b', { adds: [add()] });
  const parent = stage.ids[2]!;
  const attach = { step: 'attach', id: child, parent, x: 2, y: 1, z: 0 } as const;
  stage.call('b', { steps: [attach] });
  expect(stage.replica.world.parentOf(child)).toBeUndefined();
  stage.call('a', { steps: [attach] });
  const move = (id: number) => ({
    moves: { ids: Uint32Array.of(id), x: Float32Array.of(30), y: Float32Array.of(30), z: undefined },
  });
  stage.call('b', move(parent));
  stage.call('a', move(child));
  stage.mark('a');
  expect([...stage.replica.world.position(child)]).toEqual([32, 31]);
  expect(stage.replica.members.liveByName('a')?.refused).toBe(1);
  stage.call('a', { steps: [{ ...attach, parent: 0 }] });
  stage.call('a', move(child));
  expect([...stage.replica.world.position(child)]).toEqual([30, 30]);
});

it.each(['two', 'three'] as const)(
  "moves of attached and of others' entities are left out of one call, not each refused by an error, in %s dimensions",
  (dimensions) => {
    const stage = pair(dimensions === 'two' ? {} : { dimensions: 3 });
    stage.call('a', { adds: [add(2)] });
    stage.call('b', { adds: [add(3)] });
    const [parent, child, free, foreign] = stage.ids as [number, number, number, number];
    stage.call('a', { steps: [{ step: 'attach', id: child, parent, x: 0, y: 0, z: 0 }] });
    const { world } = stage.replica;
    world.move = () => {
      throw new Error('moved one by one');
    };
    const column = Float32Array.of(11, 12, 13, 14);
    const z = dimensions === 'two' ? undefined : Float32Array.of(21, 22, 23, 24);
    stage.call('a', {
      moves: { ids: Uint32Array.of(child, foreign, free, parent), x: column, y: column, z },
    });
    const placeOf = (id: number) => [...world.position(id)];
    expect([placeOf(free), placeOf(parent)]).toEqual(
      dimensions === 'two'
        ? [
            [13, 13],
            [14, 14],
          ]
        : [
            [13, 13, 23],
            [14, 14, 24],
          ],
    );
    expect(placeOf(foreign)[0]).toBe(3);
    expect(stage.replica.members.liveByName('a')?.refused).toBe(2);
  },
);

it('a key is held once, and free again when its entity is removed', () => {
  const stage = pair();
  stage.call('a', { adds: [add(0, 'hero')] });
  stage.call('b', { adds: [add(0, 'hero')] });
  expect(stage.told.at(-1)).toBe('KEY_TAKEN');
  stage.call('a', { removes: [stage.ids[2]!] });
  stage.call('b', { adds: [add(0, 'hero')] });
  expect(stage.replica.table.keys.get('hero')).toBe(stage.ids[3]);
});

it('a mark counts once, whoever says it; one that is not the next does not', () => {
  const stage = pair();
  expect(stage.replica.tick).toBe(1);
  stage.say(markRecord(stage.speaker('b'), 2));
  stage.say(markRecord(stage.speaker('a'), 2));
  stage.say(markRecord(stage.speaker('a'), 4));
  stage.say(markRecord({ member: 9, incarnation: 9 }, 3));
  expect(stage.replica.tick).toBe(2);
});

it('one that was not heard for more marks than silence allows is gone; its entities go to the others', () => {
  const stage = pair();
  stage.call('b', { adds: [add()] });
  for (let i = 0; i < 5; i++) stage.mark('a');
  expect(stage.replica.members.liveByName('b')).toBeDefined();
  stage.mark('a');
  expect(stage.replica.members.liveByName('b')).toBeUndefined();
  expect(stage.told).toEqual(['2: 0 to 2 added', 'b silent', '2: 2 to 1 orphaned']);
});

it('where nobody adopts entities are of nobody, until one comes that does', () => {
  const stage = new Stage();
  stage.hello('a', { adopts: false });
  stage.hello('b');
  stage.call('b', { adds: [add()] });
  const { member, incarnation } = stage.speaker('b');
  stage.say(goneRecord(member, incarnation));
  stage.mark('a');
  expect(stage.owner(0)).toBeUndefined();
  stage.hello('c');
  stage.mark('a');
  expect(stage.owner(0)).toBe('c');
});

it('a hello under a live name ends the one that had it; the same hello again brings nobody', () => {
  const stage = pair();
  const bytes = helloRecord({ name: 'b', nonce: [9, 9], tick: 1 });
  stage.say(bytes);
  stage.say(bytes);
  expect(stage.told).toEqual(['b replaced', 'b known']);
  const { member, incarnation } = stage.speaker('b');
  stage.say(goneRecord(member, incarnation));
  stage.mark('a');
  stage.say(bytes);
  expect(stage.told.at(-1)).toBe('b known');
  for (let i = 0; i < 7; i++) stage.mark('a');
  stage.say(bytes);
  expect(stage.told.at(-1)).toBe('b late');
});

it('a hello of other settings, or of no common format, brings nobody', () => {
  const stage = pair();
  stage.hello('c', { settings: [0, 0] });
  stage.hello('d', { formats: [2, 3] });
  expect(stage.told).toEqual(['c settings', 'd format']);
  expect(stage.replica.members.live().length).toBe(2);
});

it('the first 1,024 are members, and the next is not', () => {
  const stage = new Stage();
  for (let i = 0; i < 1024; i++) stage.hello(`${i}`, { nonce: [i, 1] });
  stage.hello('more', { nonce: [5000, 1] });
  expect(stage.told).toEqual(['more full']);
});

it('a change of shower puts the watcher to rest for a tick; then it begins anew', () => {
  const stage = pair();
  const [watcher, marker] = stage.ids as [number, number];
  const seen = () => [...stage.replica.world.visibleTo(watcher)];
  stage.call('a', { shows: [{ id: watcher, isShown: true }] });
  stage.mark('a');
  expect(seen()).toEqual([]);
  stage.mark('a');
  expect(seen()).toEqual([marker]);
  stage.call('b', { shows: [{ id: watcher, isShown: true }] });
  stage.mark('a');
  expect(seen()).toEqual([]);
  stage.mark('a');
  expect([...(stage.replica.world.lastChanges.of(watcher)?.entered ?? [])]).toEqual([marker]);
  // Another's word does not hide it, its shower's does.
  stage.call('a', { shows: [{ id: watcher, isShown: false }] });
  stage.mark('a');
  expect(seen()).toEqual([marker]);
  stage.call('b', { shows: [{ id: watcher, isShown: false }] });
  stage.mark('a');
  expect(seen()).toEqual([]);
});

it('a replica of its own views watches only what its member shows', () => {
  const stage = new Stage('own');
  stage.hello('a');
  stage.hello('b');
  stage.replica.selfCode = 1;
  stage.call('a', { adds: [add(0), add(1), add(2)] });
  const [first, second] = stage.ids as [number, number];
  stage.call('a', { shows: [{ id: first, isShown: true }] });
  stage.call('b', { shows: [{ id: second, isShown: true }] });
  stage.mark('a');
  stage.mark('a');
  expect(stage.replica.world.visibleTo(first).length).toBe(2);
  expect(stage.replica.world.visibleTo(second).length).toBe(0);
});

it.each(['own', 'all'] as const)('stored with views %s it goes on as the one that was stored', (views) => {
  const stage = new Stage(views);
  stage.hello('a');
  stage.hello('b');
  stage.call('a', { adds: [add(0, 'k'), add(1)], shows: [] });
  stage.call('a', {
    fields: [{ id: stage.ids[0]!, fields: { health: 3 } }],
    keeps: [{ id: stage.ids[0]!, bytes: Uint8Array.of(1, 2) }],
    shows: [{ id: stage.ids[0]!, isShown: true }],
  });
  stage.mark('a');
  const bytes = storeReplica(stage.replica);
  const copy = loadReplica(bytes, { world: {}, views });
  const more = [
    callsRecord({ ...stage.speaker('a'), seq: 3 }, { adds: [add(5)] }),
    markRecord(stage.speaker('a'), 2),
    markRecord(stage.speaker('b'), 3),
  ];
  for (const record of more) {
    stage.say(record);
    copy.apply(copy.position + 1, record);
  }
  expect(copy.chain).toEqual(stage.replica.chain);
  expect(storeReplica(copy)).toEqual(storeReplica(stage.replica));
});

it('a state in which very many watchers rest is read again', () => {
  const { replica } = pair();
  replica.resting = Array.from({ length: 300_000 }, (_, i) => i * 1024 + 1);
  const copy = loadReplica(storeReplica(replica), { world: {}, views: 'all' });
  expect(copy.resting).toEqual(replica.resting);
});

it('stored bytes that were altered or cut short are refused', () => {
  const bytes = storeReplica(pair().replica);
  for (const at of [0, 4, 6, 9, 20, 200, bytes.length - 1]) {
    const altered = bytes.slice();
    altered[at]! ^= 1;
    // The version is that of the next format.
    const isOther = at === 4;
    for (const formats of [[1, 1], FORMATS] as const)
      expect(() => loadReplica(altered, { world: {}, views: 'all', formats })).toThrow(
        expect.objectContaining({
          code:
            isOther && formats[1] === 1
              ? 'UNSUPPORTED'
              : expect.stringMatching(/BAD_SNAPSHOT|SETTINGS_DIFFER/),
        }),
      );
    expect(() => loadReplica(bytes.subarray(0, at), { world: {}, views: 'all' })).toThrow(
      expect.objectContaining({ code: 'BAD_SNAPSHOT' }),
    );
  }
  // Of no version, and damaged.
  const damaged = bytes.slice();
  damaged[4]! ^= 1;
  damaged[bytes.length - 1]! ^= 1;
  expect(() => loadReplica(damaged, { world: {}, views: 'all' })).toThrow(
    expect.objectContaining({ code: 'BAD_SNAPSHOT' }),
  );
});

it.each([Number.NaN, 0, -1, 1e9, Number.POSITIVE_INFINITY])(
  'a stored state of ticks of %d ms is refused',
  (tickMs) => {
    const { replica } = pair();
    const settings = replica.members.settings!;
    expect(loadReplica(storeReplica(replica), { world: {}, views: 'all' }).members.settings).toEqual(
      settings,
    );
    for (const wrong of [{ tickMs }, { silenceTicks: 0 }]) {
      replica.members.settings = { ...settings, ...wrong };
      expect(() => loadReplica(storeReplica(replica), { world: {}, views: 'all' })).toThrow(
        expect.objectContaining({ code: 'BAD_SNAPSHOT' }),
      );
    }
  },
);

it('noise in the log changes nothing but the checksum of it', () => {
  const stage = pair();
  const { size } = stage.replica.world;
  stage.say(new Uint8Array(0));
  stage.say(new Uint8Array(600_000));
  stage.say(Uint8Array.of(1, 1, 0, 0, 255));
  expect([stage.replica.garbageCount, stage.replica.world.size, stage.replica.tick]).toEqual([3, size, 1]);
});

it('one whose digest differs from that of two others is outvoted, not one that differs from one', () => {
  const stage = pair();
  stage.hello('c');
  stage.replica.selfCode = 1;
  stage.replica.noted = { tick: 64, digest: [1, 1] };
  const tell = (name: string, low: number) => {
    const speaker = stage.speaker(name);
    stage.say(callsRecord({ ...speaker, seq: 1 }, {}, { tick: 64, digest: [low, 1] }));
  };
  tell('b', 2);
  expect(isOutvoted(stage.replica)).toBe(false);
  tell('c', 2);
  expect(isOutvoted(stage.replica)).toBe(true);
});

it('adopters are spread by hash, and few entities move when one goes', () => {
  const members = ['a', 'b', 'c', 'd'].map((name, i) => ({ name, incarnation: 10 * i + 1 }) as never);
  const counts = new Map<unknown, number>();
  for (let slot = 0; slot < 4000; slot++) {
    const all = RULES.adopterOf(slot * 1024 + 1, members);
    const fewer = RULES.adopterOf(slot * 1024 + 1, members.slice(1));
    if (all !== members[0]) expect(fewer).toBe(all);
    counts.set(all, (counts.get(all) ?? 0) + 1);
  }
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

it('the digest of a state is what members of this format tell of it', () => {
  const stage = new Stage();
  stage.hello('a');
  stage.hello('b');
  const add = { z: 0, patch: { range: 5 }, key: 'hero', keep: Uint8Array.of(1, 2), fields: { health: 7 } };
  stage.call('a', { adds: [{ ...add, request: 0, x: 1, y: 2 }] });
  stage.call('b', { adds: [{ ...add, request: 1, x: 3, y: 4, key: '' }] });
  stage.call('b', { shows: [{ id: stage.ids[0]!, isShown: true }] });
  stage.call('a', { interests: [{ name: 'few', numbers: { cap: 3 }, hasRank: false, hasAdmit: false }] });
  for (let tick = 1; tick <= 64; tick++) {
    for (const name of ['a', 'b']) stage.call(name, {});
    stage.mark('a');
  }
  // Where this differs, a node copies the state of members of an earlier version again and again: FORMAT and OLDEST_FORMAT must rise.
  expect([FORMAT, stage.replica.noted]).toEqual([2, { tick: 64, digest: [2105146718, 1940955435] }]);
});
