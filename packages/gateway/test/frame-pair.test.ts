/**
 * Encoder and decoder as a pair: whatever happens in the world, and whatever becomes of single frames, a client that has
 * caught up has exactly what its watcher relates to.
 */
import fc from 'fast-check';
import { type Interest, UmweltError, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import type { AppearanceOptions } from '../src/appearance/schema.ts';
import { FrameDesk, type Seat } from './frame-desk.ts';

const SENSES = ['sight', 'hearing'];
const APPEARANCE: AppearanceOptions = {
  positionStep: 0.5,
  nearDistance: 10,
  fields: {
    'any-flag': { type: 'bool' },
    'any-count': { type: 'int' },
    'near-health': { type: 'uint', audience: 'near' },
    'owner-gold': { type: 'float32', audience: 'owner' },
    'sight-name': { type: 'string', max: 12, sense: 'sight' },
  },
};
/** Nothing depends on who looks, but what its owner sees: then all that changed is usual. */
const PLAIN: AppearanceOptions = {
  positionStep: 0.5,
  fields: {
    'any-flag': { type: 'bool' },
    'any-count': { type: 'int' },
    'any-health': { type: 'uint' },
    'owner-gold': { type: 'float32', audience: 'owner' },
    'any-name': { type: 'string', max: 40 },
  },
};

/** Bands within bands, some of whose fields are told at a rate and so need time. */
const BANDS: AppearanceOptions = {
  positionStep: 0.5,
  bands: { far: 25, near: 6, middle: { distance: 12, everyTicks: 4 }, wide: { distance: 25, everyTicks: 7 } },
  fields: {
    'far-flag': { type: 'bool', audience: 'far' },
    'any-count': { type: 'int' },
    'middle-health': { type: 'uint', audience: 'middle' },
    'owner-gold': { type: 'float32', audience: 'owner' },
    'near-name': { type: 'string', max: 12, audience: 'near' },
    'wide-level': { type: 'uint', audience: 'wide' },
  },
};

const PROMPT_BANDS: AppearanceOptions = { ...BANDS, bands: { far: 25, near: 6, middle: 12, wide: 25 } };

const at = fc.nat({ max: 1000 });
const place = fc.integer({ min: -400, max: 400 }).map((n) => n / 8);
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('add' as const), x: place, y: place, range: fc.nat(30) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), at }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('move' as const), at, x: place, y: place }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('step' as const),
      at,
      dx: fc.integer({ min: -9, max: 9 }),
      dy: place,
      leaps: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('gain' as const), at, gain: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('flag' as const), at, value: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('count' as const), at, value: fc.integer() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('health' as const), at, value: fc.nat(0xffffffff) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('gold' as const),
      at,
      value: fc.float({ noNaN: true, noDefaultInfinity: true }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('name' as const),
      at,
      value: fc.string({ unit: 'binary', maxLength: 3 }).map((text) => text.toWellFormed()),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pin' as const), at, marker: at, holds: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('attach' as const), at, parent: at }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('detach' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('seat' as const), at, own: fc.option(at) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('reseat' as const), seat: at, at, own: fc.option(at) }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('tick' as const),
      fates: fc.array(fc.constantFrom('whole', 'whole', 'short', 'few', 'held', 'lost', 'lost later'), {
        minLength: 1,
        maxLength: 4,
      }),
      bytes: fc.nat(60),
    }),
  },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** Longer than any rate, dwelling or memory below. */
const QUIET_TICKS = 12;

class Run {
  readonly desk: FrameDesk;
  readonly ids: number[] = [];
  /** Seats whose frames no longer arrive until they reconnect. */
  readonly #deaf = new Set<Seat>();
  #haveAnyLeapt = false;
  caughtUp = 0;
  /** Reasons compared. */
  reasons = 0;

  readonly #isPrompt: boolean;

  /** Unless it is prompt, a client need not have everything before the world has rested for a while. */
  constructor(
    dimensions: 2 | 3,
    interest?: Interest,
    appearance: AppearanceOptions = APPEARANCE,
    isPrompt = interest === undefined,
  ) {
    this.#isPrompt = isPrompt;
    const interests = interest === undefined ? {} : { default: interest };
    const world = new World({ senses: SENSES, dimensions, interests });
    this.desk = new FrameDesk(world, appearance, SENSES, dimensions);
  }

  do(step: Operation): void {
    const { world, columns } = this.desk;
    if (step.do === 'add') {
      const range = { sight: step.range, hearing: step.range / 2 };
      this.ids.push(world.add({ x: step.x, y: step.y, z: step.x / 2, range }));
      return;
    }
    if (step.do === 'tick') {
      this.tick(step.fates, step.bytes);
      return;
    }
    const id = this.#idAt('at' in step ? step.at : 0);
    if (id === undefined) return;
    switch (step.do) {
      case 'remove':
        world.remove(id);
        this.ids.splice(this.ids.indexOf(id), 1);
        break;
      case 'move':
        if (world.parentOf(id) === undefined) world.move(id, step.x, step.y, step.y / 2);
        break;
      case 'step': {
        const [x = 0, y = 0, z = 0] = world.position(id);
        if (world.parentOf(id) !== undefined) break;
        if (step.leaps) this.#haveAnyLeapt = true;
        world.move(id, x + step.dx / 4, y + step.dy / 100, z, { teleport: step.leaps });
        break;
      }
      case 'gain':
        world.update(id, { gain: { sight: step.gain } });
        break;
      case 'flag':
        this.#set(id, 'flag', step.value);
        break;
      case 'count':
        columns.set(id, { 'any-count': step.value });
        break;
      case 'health':
        this.#set(id, 'health', step.value);
        this.#set(id, 'level', step.value);
        break;
      case 'gold':
        columns.set(id, { 'owner-gold': step.value });
        break;
      case 'name':
        this.#set(id, 'name', step.value);
        break;
      case 'pin': {
        const marker = this.#idAt(step.marker);
        if (marker === undefined || marker === id) break;
        if (step.holds) world.pin(id, marker);
        else world.unpin(id, marker);
        break;
      }
      case 'attach':
        this.#attach(id, this.#idAt(step.parent) ?? id);
        break;
      case 'detach':
        world.detach(id);
        break;
      case 'seat':
        if (!this.desk.isTaken(id)) this.desk.seat(id, this.#idAt(step.own) ?? 0);
        break;
      case 'reseat': {
        const seat = this.desk.seats[step.seat % (this.desk.seats.length || 1)];
        if (seat && !this.desk.isTaken(id)) this.desk.reseat(seat, id, this.#idAt(step.own) ?? 0);
        break;
      }
    }
  }

  /** A ring, or a chain too long, is refused. */
  #attach(child: number, parent: number): void {
    try {
      this.desk.world.attach(child, parent, { x: 1, y: -0.5 });
    } catch (error) {
      if (!(error instanceof UmweltError)) throw error;
    }
  }

  tick(fates: readonly string[], bytes: number): void {
    this.desk.tick();
    for (const [index, seat] of this.desk.seats.entries()) {
      const fate = fates[index % fates.length];
      if (fate === 'held') {
        this.desk.hold(seat);
        continue;
      }
      if (fate === 'lost later') this.#deaf.add(seat);
      if (this.#deaf.has(seat)) {
        this.desk.frame(seat);
        if (fate !== 'lost') continue;
      }
      if (fate === 'lost') {
        this.#deaf.delete(seat);
        this.desk.hold(seat);
        this.desk.reconnect(seat);
        continue;
      }
      const entersMax = fate === 'few' ? bytes % 4 : undefined;
      const frame = this.desk.frame(seat, fate === 'short' ? bytes : undefined, entersMax);
      seat.wired.receive(frame);
      expect(seat.wired.client.state).toBe('open');
      this.#expectReasons(seat);
      if (fate === 'whole' && this.#isPrompt) this.#expectEqual(seat);
    }
  }

  /** Everyone is heard again, and has all. */
  end(): void {
    for (const seat of this.#deaf) this.desk.reconnect(seat);
    this.#deaf.clear();
    for (let tick = 0; tick < QUIET_TICKS; tick++) this.tick(['whole'], 0);
    for (const seat of this.desk.seats) this.#expectEqual(seat);
  }

  /** Sets the field of that name, whoever sees it. */
  #set(id: number, name: string, value: string | number | boolean): void {
    const field = this.desk.columns.schema.fields.find((one) => one.name.endsWith(`-${name}`));
    if (field !== undefined) this.desk.columns.set(id, { [field.name]: value });
  }

  /**
   * Leaves are told with the next frame: why those of the last one left is as the world has it now. One that is still shown
   * left to enter anew.
   */
  #expectReasons({ wired: { reasons }, causes }: Seat): void {
    for (const [id, reason] of reasons) {
      if (reason === 'unknown') continue;
      const anew = this.#haveAnyLeapt ? 'out of range' : undefined;
      expect([id, reason]).toEqual([id, causes.get(id) ?? anew]);
      this.reasons++;
    }
    reasons.clear();
  }

  #expectEqual(seat: Seat): void {
    this.caughtUp++;
    expect(this.desk.actual(seat).sort()).toEqual(this.desk.expected(seat).sort());
    expect(seat.wired.client.own?.id ?? 0).toBe(seat.view.own);
  }

  #idAt(index: number | null): number | undefined {
    return index === null ? undefined : this.ids[index % (this.ids.length || 1)];
  }
}

describe('a client whose watcher has an interest', () => {
  it.each<[string, Interest]>([
    [
      'rates',
      {
        updateRates: [
          [0.3, 1],
          [0.6, 3],
          [1, 7],
        ],
      },
    ],
    ['few seats', { cap: 3, minDwellTicks: 2, memoryTicks: 4, updateRates: [[1, 2]] }],
    ['a margin, mutual', { leaveMargin: 5, mutual: true }],
  ])('has in the end what it relates to: %s', (_, interest) => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 10, maxLength: 80, size: 'max' }), (operations) => {
        const run = new Run(2, interest);
        for (const step of operations) run.do(step);
        run.end();
      }),
      { numRuns: 150 },
    );
  });
});

describe('a client that is inside of bands', () => {
  it.each<[string, Interest, AppearanceOptions, boolean]>([
    ['in the end, at rates', { leaveMargin: 5 }, BANDS, false],
    [
      'in the end, at rates of the watcher, too',
      {
        leaveMargin: 2,
        updateRates: [
          [0.5, 2],
          [1, 5],
        ],
      },
      BANDS,
      false,
    ],
    ['after each frame', {}, PROMPT_BANDS, true],
    ['after each frame, by a margin', { leaveMargin: 5 }, PROMPT_BANDS, true],
  ])('has the fields of those it is inside of: %s', (_, interest, appearance, isPrompt) => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 10, maxLength: 80, size: 'max' }), (operations) => {
        const run = new Run(2, interest, appearance, isPrompt);
        for (const step of operations) run.do(step);
        run.end();
      }),
      { numRuns: 150 },
    );
  });
});

describe.each([
  [2, 'depends on who looks', APPEARANCE],
  [3, 'depends on who looks', APPEARANCE],
  [2, 'does not', PLAIN],
  [3, 'does not', PLAIN],
] as const)('a client in %i dimensions, where what is seen %s', (dimensions, _, appearance) => {
  it('has what its watcher relates to, whatever became of frames before', () => {
    let caughtUp = 0;
    let reasons = 0;
    fc.assert(
      fc.property(fc.array(operation, { minLength: 10, maxLength: 120, size: 'max' }), (operations) => {
        const run = new Run(dimensions, undefined, appearance);
        for (const step of operations) run.do(step);
        run.end();
        caughtUp += run.caughtUp;
        reasons += run.reasons;
      }),
      { numRuns: 300 },
    );
    expect(caughtUp).toBeGreaterThan(300);
    expect(reasons).toBeGreaterThan(50);
  });
});

it('a client has those whose slots lie far apart, and whose records are long', () => {
  const world = new World({ senses: SENSES });
  const desk = new FrameDesk(world, PLAIN, SENSES);
  const far = new Float32Array(70_000).fill(1e6);
  const crowd = world.addMany({ x: far, y: far });
  const seen = [0, 1, 127, 128, 300, 17_000, 33_500, 69_999].map((index) => crowd[index]!);
  const watchers = [seen[0]!, seen[4]!, crowd[5]!];
  for (const id of [...seen, ...watchers]) world.move(id, 0, 0);
  for (const id of watchers) world.update(id, { range: 50 });
  const seats = watchers.map((watcher) => desk.seat(watcher, watcher));
  for (let tick = 1; tick < 6; tick++) {
    for (const [index, id] of seen.entries()) {
      world.move(id, index, tick);
      desk.columns.set(id, { 'any-name': 'name'.repeat((tick + index) % 9), 'any-count': -tick });
    }
    desk.tick();
    for (const seat of seats) {
      seat.wired.receive(desk.frame(seat));
      expect(desk.actual(seat).sort()).toEqual(desk.expected(seat).sort());
    }
  }
  expect(desk.recordCount).toBe(seen.length);
});
