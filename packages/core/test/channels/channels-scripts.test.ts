/**
 * Random scripts of coming, going, grouping and balancing, beside a model that knows who joined.
 *
 * After each step: who joined is in a channel from 1 on, who did not is in 0. After each balance: no more moves than the
 * budget, as many as it answered, and no group that was together and fits the budget was divided. When the crowd has come
 * to rest: every group is together, thresholds are kept, and no channel is out of bounds where a single could mend it.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boundsFor, resolveChannelOptions } from '../../src/channels/channel-options.ts';
import type { ChannelOptions, EntityId } from '../../src/index.ts';
import { storeOf } from '../../src/world.ts';
import { Gathering } from './gathering.ts';

type Step =
  | { kind: 'come'; count: number; group: number }
  | { kind: 'change'; change: Change; from: number; count: number; group: number }
  | { kind: 'balance' }
  | { kind: 'tick' }
  | { kind: 'rest' };

type Change = 'leave' | 'remove' | 'return' | 'regroup';

const group = fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 }));
const count = fc.integer({ min: 1, max: 12 });
const from = fc.nat(1000);

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('come' as const), count, group }) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('change' as const),
        change: fc.constantFrom<Change[]>('leave', 'remove', 'return', 'regroup'),
        from,
        count,
        group,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.constantFrom<Step[]>({ kind: 'balance' }, { kind: 'tick' }, { kind: 'rest' }),
    },
  ),
  { maxLength: 60 },
);

const options: fc.Arbitrary<ChannelOptions> = fc.record({
  target: fc.integer({ min: 1, max: 20 }),
  tolerance: fc.constantFrom(0, 0.1, 0.2, 0.5, 1),
  movesPerTick: fc.constantFrom(1, 3, 16, Number.POSITIVE_INFINITY),
});

class ScriptRun {
  readonly #options: ChannelOptions;
  readonly #crowd: Gathering;
  readonly #joined = new Set<EntityId>();
  readonly #groups = new Map<EntityId, number>();

  constructor(given: ChannelOptions) {
    this.#options = given;
    this.#crowd = new Gathering(given);
  }

  take(step: Step): void {
    const { world, channels, ids } = this.#crowd;
    if (step.kind === 'come') {
      for (const id of this.#crowd.comeMany(step.count, step.group)) {
        this.#joined.add(id);
        this.#groups.set(id, step.group);
      }
    } else if (step.kind === 'tick') {
      world.tick();
    } else if (step.kind === 'balance') {
      this.#balance();
    } else if (step.kind === 'rest') {
      this.#rest();
    } else {
      for (let i = 0; i < step.count && ids.length > 0; i++) {
        this.#change(step, ids[(step.from + i * 7) % ids.length]);
      }
    }
    for (const id of ids) expect(channels.channelOf(id) > 0).toBe(this.#joined.has(id));
  }

  #change(step: Extract<Step, { kind: 'change' }>, id: EntityId): void {
    const { world, channels } = this.#crowd;
    if (step.change === 'leave') {
      channels.leave(id);
      this.#joined.delete(id);
    } else if (step.change === 'return') {
      channels.join(id);
      this.#joined.add(id);
    } else if (step.change === 'remove') {
      this.#crowd.remove(id);
      this.#joined.delete(id);
    } else {
      world.update(id, { group: step.group });
      this.#groups.set(id, step.group);
    }
  }

  /** The groups' members who joined. */
  #parties(): EntityId[][] {
    const parties = new Map<number, EntityId[]>();
    for (const id of this.#joined) {
      const number = this.#groups.get(id) ?? 0;
      if (number !== 0) parties.set(number, [...(parties.get(number) ?? []), id]);
    }
    return [...parties.values()];
  }

  #isTogether(party: EntityId[]): boolean {
    return this.#crowd.sizes(party).length === 1;
  }

  #balance(): number {
    const { movesPerTick = 16 } = this.#options;
    const { channels, ids } = this.#crowd;
    const together = this.#parties().filter((party) => this.#isTogether(party));
    const before = this.#crowd.where();
    const moves = channels.balance();
    const after = this.#crowd.where();
    expect(after.filter((channel, i) => channel !== before[i]).length).toBe(moves);
    expect(moves).toBeLessThanOrEqual(movesPerTick);
    for (const party of together) {
      if (party.length <= movesPerTick) expect(this.#isTogether(party)).toBe(true);
    }
    expect(channels.size).toBe(ids.filter((id) => this.#joined.has(id)).length);
    return moves;
  }

  #rest(): void {
    // Each call moves somebody, and what is amiss falls with each move: no more calls than moves.
    const most = 10 * this.#joined.size + 10;
    let calls = 0;
    while (this.#balance() > 0) expect(calls++).toBeLessThan(most);
    for (const party of this.#parties()) expect(this.#isTogether(party)).toBe(true);
    const rules = resolveChannelOptions(storeOf(this.#crowd.world).settings, this.#options);
    const { target, tolerance } = rules;
    const { channelCount, size } = this.#crowd.channels;
    expect(size).toBeLessThanOrEqual(target * channelCount * (1 + tolerance));
    expect(size).toBeGreaterThanOrEqual(target * (channelCount - 1) * (1 - tolerance));
    this.#expectBounds(boundsFor(size, channelCount, rules), channelCount);
    expect(this.#balance()).toBe(0);
  }

  /** No single is in a channel from which it could go to mend something. */
  #expectBounds({ most, least }: { most: number; least: number }, channelCount: number): void {
    const joined = [...this.#joined];
    const counts = this.#crowd.counts(joined);
    const sizes = Object.values(counts);
    expect(sizes.length).toBeLessThanOrEqual(channelCount);
    const emptiest = sizes.length < channelCount ? 0 : Math.min(...sizes);
    for (const id of joined) {
      if (this.#groups.get(id) !== 0) continue;
      const size = counts[this.#crowd.channels.channelOf(id)];
      expect(size > most && emptiest < most).toBe(false);
      expect(size > least && emptiest < least).toBe(false);
    }
  }
}

test('random scripts keep every promise at every step', () => {
  fc.assert(
    fc.property(options, steps, (given, script) => {
      const run = new ScriptRun(given);
      for (const step of [...script, { kind: 'rest' as const }]) run.take(step);
    }),
    { numRuns: 300 },
  );
});

test('the same script gives the same channels', () => {
  fc.assert(
    fc.property(options, steps, (given, script) => {
      const [one, other] = [new Gathering(given), new Gathering(given)].map((crowd) => {
        for (const step of script) {
          if (step.kind === 'come') crowd.comeMany(step.count, step.group);
          else if (step.kind === 'change' && crowd.ids.length > 0) crowd.remove(crowd.ids[0]);
          else crowd.channels.balance();
        }
        return crowd.where();
      });
      expect(one).toEqual(other);
    }),
    { numRuns: 50 },
  );
});
