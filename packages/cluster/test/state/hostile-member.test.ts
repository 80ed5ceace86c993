/** A live member that says anything at all in sound records: nothing throws, and all replicas stay alike. */
import { expect, it } from 'vitest';
import type { ItemOf, ListName } from '../../src/records/calls.ts';
import { FORMAT, FORMATS } from '../../src/records/formats.ts';
import type { Step } from '../../src/records/steps.ts';
import { NOTHING_NOTED } from '../../src/state/members.ts';
import { Replica } from '../../src/state/replica.ts';
import { digestOf } from '../../src/state/state-digest.ts';
import { loadReplica, storeReplica } from '../../src/state/stored-replica.ts';
import { callsRecord, helloRecord, type Items, markRecord } from '../record-makers.ts';
import { Random } from '../simulation/random.ts';

const OPTIONS = {
  world: {
    senses: ['sight', 'hearing'],
    groups: ['party'],
    interests: { default: {}, chosen: { rank: () => 1 } },
  },
  channels: { target: 3, tolerance: 0.5 },
  views: 'all' as const,
};

class Hostile {
  readonly ids: number[] = [];
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  items(): Items {
    const items: Record<string, unknown[]> = {};
    for (const name of Object.keys(this.#items) as ListName[]) {
      if (this.#random.chance(0.5))
        items[name] = Array.from({ length: this.#random.below(4) }, () => this.#items[name]());
    }
    const ids = Uint32Array.from({ length: this.#random.below(5) }, () => this.#id());
    const column = () => Float32Array.from(ids, () => this.#number());
    const moves = { ids, x: column(), y: column(), z: this.#random.chance(0.2) ? column() : undefined };
    return { ...(this.#random.chance(0.5) && { moves }), ...items } as Items;
  }

  #number(): number {
    const { NaN: none, POSITIVE_INFINITY: endless } = Number;
    return this.#random.of([
      0,
      -0,
      1,
      -1,
      0.5,
      3,
      7,
      1e12,
      -1e13,
      1e39,
      none,
      endless,
      -endless,
      2 ** 31,
      2 ** 53,
    ]);
  }

  #id(): number {
    return this.#random.chance(0.8) && this.ids.length > 0 ? this.#random.of(this.ids) : this.#random.word();
  }

  /** Anything that JSON can say. */
  #value(depth = 0): unknown {
    const random = this.#random;
    const plain = [null, true, false, '', 'Infinity', 'party', 'nearest', '__proto__', -1, 1, 3, 1e300];
    if (depth > 2 || random.chance(0.6)) return random.of<unknown>(plain);
    if (random.chance(0.5)) return Array.from({ length: random.below(4) }, () => this.#value(depth + 1));
    const names = ['layers', 'cap', 'kinds', 'within', 'through', 'length', '__proto__', 'toString'];
    return Object.fromEntries(
      Array.from({ length: random.below(3) }, () => [random.of(names), this.#value(depth + 1)]),
    );
  }

  #interest(): never {
    const names = [
      'leaveMargin',
      'cap',
      'incumbentBonus',
      'minDwellTicks',
      'memoryTicks',
      'lingerTicks',
      'quotas',
      'showGroup',
    ];
    const all = [...names, 'mutual', 'updateRates', 'rank', 'nonsense', 'enterBudget'];
    return Object.fromEntries(
      Array.from({ length: this.#random.below(4) }, () => [this.#random.of(all), this.#value()]),
    ) as never;
  }

  #patch(): object {
    const random = this.#random;
    const record = () =>
      random.chance(0.5) ? this.#number() : { [random.of(['sight', 'smell', '__proto__'])]: this.#number() };
    const makers: Record<string, () => unknown> = {
      range: record,
      gain: record,
      minReach: record,
      maxReach: record,
      group: record,
      layers: () => this.#number(),
      needs: () => this.#number(),
      only: () => random.of([this.#id(), this.#number()]),
      channel: () => this.#number(),
      weight: () => this.#number(),
      cap: () => this.#number(),
      onlyGroup: () => random.of([true, ['party'], ['none']]),
      watches: () => random.chance(0.5),
      interest: () => random.of(['default', 'chosen', 'none', '']),
    };
    const name = random.of(Object.keys(makers));
    return { [name]: makers[name]!() };
  }

  readonly #items: { readonly [N in ListName]: () => ItemOf<N> } = {
    interests: () => ({
      name: this.#random.of(['default', 'chosen', 'new', '', '__proto__']),
      numbers: this.#interest(),
      hasRank: this.#random.chance(0.3),
      hasAdmit: this.#random.chance(0.3),
    }),
    adds: () => ({
      request: this.#random.word(),
      x: this.#number(),
      y: this.#number(),
      z: this.#number(),
      patch: this.#patch(),
      key: this.#random.of(['', 'a', '__proto__']),
      fields: {},
      keep: new Uint8Array(this.#random.below(9)),
    }),
    updates: () => {
      if (this.#random.chance(0.5)) return { id: Math.max(1, this.#id()), patch: this.#patch() };
      const ids = Uint32Array.from({ length: this.#random.below(4) }, () => this.#id());
      const values = Float32Array.from(ids, () => this.#number());
      const columns = [
        {
          property: this.#random.of(['range', 'gain', 'weight'] as const),
          name: this.#random.of(['', 'sight', 'none']),
          values,
        },
        {
          property: 'group' as const,
          name: this.#random.of(['', 'party', '__proto__']),
          values: Uint32Array.from(ids),
        },
      ];
      return { ids, columns };
    },
    touches: () => this.#id(),
    removes: () => (this.#random.chance(0.2) ? this.#id() : 0),
    ties: () => ({
      tie: this.#random.of(['pin', 'unpin', 'block', 'unblock'] as const),
      watcher: this.#id(),
      marker: this.#id(),
      reason: this.#random.of(['', 'x', '__proto__']),
      within: this.#number(),
      everyTicks: this.#random.below(256),
    }),
    steps: () => {
      const place = { id: this.#id(), x: this.#number(), y: 1, z: this.#number() };
      return this.#random.of<Step>([
        { step: 'attach', ...place, parent: this.#random.of([0, this.#id()]) },
        { step: this.#random.of(['move', 'teleport'] as const), ...place },
        { step: 'remove', id: this.#random.chance(0.2) ? place.id : 0 },
      ]);
    },
    channels: () => ({ id: this.#id(), joins: this.#random.chance(0.7) }),
    fields: () => ({ id: this.#id(), fields: { name: 'x', __proto__: 1 } }),
    keeps: () => ({ id: this.#id(), bytes: new Uint8Array(3) }),
    gives: () => ({ id: this.#id(), member: this.#random.below(3), incarnation: this.#random.below(4) }),
    sends: () => ({ id: this.#id(), bytes: new Uint8Array(2) }),
    broadcasts: () => ({
      marker: this.#id(),
      sense: this.#random.of(['', 'sight', 'none']),
      bytes: new Uint8Array(1),
    }),
    shows: () => ({ id: this.#id(), isShown: this.#random.chance(0.8) }),
    teleports: () => this.#id(),
  };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])('whatever it calls, seed %i', (seed) => {
  const hostile = new Hostile(seed);
  const first = new Replica({
    ...OPTIONS,
    events: { added: (_m, _r, id) => typeof id === 'number' && hostile.ids.push(id) },
  });
  let second = new Replica(OPTIONS);
  const say = (bytes: Uint8Array) => {
    for (const replica of [first, second]) replica.apply(replica.position + 1, bytes);
  };
  say(helloRecord({ name: 'a', nonce: [1, 1], silenceTicks: 1e6, formats: FORMATS }));
  const speaker = { member: 0, incarnation: first.members.byNumber(0)!.incarnation };
  for (let seq = 1; seq <= 150; seq++) {
    say(callsRecord({ ...speaker, seq }, hostile.items(), NOTHING_NOTED, FORMAT));
    say(markRecord(speaker, first.tick + 1).with(0, FORMAT));
    expect(digestOf(second), `record ${seq}`).toEqual(digestOf(first));
    expect(second.world.lastChanges.hash()).toBe(first.world.lastChanges.hash());
    // A copy goes on as the others do, whatever was said before.
    if (seq % 50 === 0) second = loadReplica(storeReplica(first), OPTIONS);
  }
  first.world.validate();
  expect(first.garbageCount).toBe(0);
  expect(first.world.size).toBeGreaterThan(0);
  expect(first.members.byNumber(0)!.refused).toBeGreaterThan(100);
});
