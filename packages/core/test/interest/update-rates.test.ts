/**
 * Update rates: every change of a near marker is reported, changes of a far marker less often, and never
 * later than its rate.
 */
import { expect, test } from 'vitest';
import { type Interest, World } from '../../src/index.ts';
import { Lineup } from './lineup.ts';

const RATES: Interest = {
  updateRates: [
    [0.25, 1],
    [0.5, 2],
    [1, 4],
  ],
};

/** For each place, those of `ticks` ticks in which its marker was updated. */
function toldTicks(lineup: Lineup, ticks: number, change: (place: number, tick: number) => void): number[][] {
  const told: number[][] = lineup.markers.map(() => []);
  for (let tick = 1; tick <= ticks; tick++) {
    for (let place = 0; place < lineup.markers.length; place++) change(place, tick);
    for (const place of lineup.tick().updated) told[place].push(tick);
  }
  return told;
}

function gaps(ticks: readonly number[]): number[] {
  return ticks.slice(1).map((tick, i) => tick - ticks[i]);
}

test('a marker that changes all the time is updated at the rate of its ring', () => {
  const lineup = new Lineup(RATES, [25, 25.5, 50, 50.5, 99]);
  lineup.tick();
  const told = toldTicks(lineup, 40, (place) => lineup.world.touch(lineup.markers[place]));
  expect(told.map((ticks) => new Set(gaps(ticks)))).toEqual([1, 2, 2, 4, 4].map((every) => new Set([every])));
});

test('there may be many rings, also after a snapshot', () => {
  const updateRates = Array.from({ length: 50 }, (_, i) => [(i + 1) / 50, i + 1] as const);
  const world = new World({ interests: { default: { updateRates } } });
  const [watcher, marker] = world.addMany({ x: [0, 35], y: [0, 0], range: 50 });
  world.tick();
  const told: number[] = [];
  for (const lived of [world, World.restore(world.snapshot())]) {
    for (let tick = 2; tick <= 101; tick++) {
      lived.touch(marker as number);
      if (lived.tick().of(watcher as number)?.updated.length === 1) told.push(lived.tickCount);
    }
  }
  // The slot is 1, and its ring's rate is 35 ticks.
  expect(told).toEqual([34, 69, 34, 69]);
});

test('a ring reaches a fraction of the longest range of all senses, without gains', () => {
  const world = { senses: ['sight', 'hearing'], interests: { default: RATES } };
  const lineup = new Lineup({}, [100, 101], { world, watcher: { range: { sight: 10, hearing: 400 } } });
  lineup.update(1, { gain: { hearing: 2 } });
  lineup.tick();
  const told = toldTicks(lineup, 20, (place) => lineup.world.touch(lineup.markers[place]));
  expect(told.map((ticks) => gaps(ticks)[0])).toEqual([1, 2]);
});

test('a single change is reported at most one rate after the last update', () => {
  for (const wait of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const lineup = new Lineup(RATES, [90]);
    lineup.ticks(wait);
    lineup.walk(0, 91);
    let ticks = 1;
    while (lineup.tick().updated.length === 0) ticks++;
    // It entered at tick 1: from tick 5 on a change need not wait; before that it waits until tick 5 at most.
    expect(ticks).toBeLessThanOrEqual(Math.max(1, 5 - wait));
    expect(lineup.ticks(5).updated).toEqual([]);
  }
});

test('changes that wait are reported once, however many there are', () => {
  const lineup = new Lineup(RATES, [90, 91, 92, 93]);
  lineup.tick();
  for (const distance of [94, 95]) {
    for (let place = 0; place < 4; place++) lineup.walk(place, distance);
    lineup.tick();
  }
  const told = toldTicks(lineup, 8, () => {});
  for (const ticks of told) expect(ticks.length).toBeLessThanOrEqual(1);
});

test('the load of ticks is even: slots take turns', () => {
  const lineup = new Lineup(
    RATES,
    Array.from({ length: 40 }, (_, i) => 60 + i),
  );
  lineup.ticks(5);
  const counts: number[] = [];
  for (let tick = 0; tick < 8; tick++) {
    for (const marker of lineup.markers) lineup.world.touch(marker);
    counts.push(lineup.tick().updated.length);
  }
  expect(counts.slice(4)).toEqual([10, 10, 10, 10]);
});

test('beyond the last ring, for example with a pin, the last rate applies', () => {
  const lineup = new Lineup({ ...RATES, updateRates: [[0.1, 3]] }, [1e6]);
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  const [ticks] = toldTicks(lineup, 12, (place) => lineup.world.touch(lineup.markers[place]));
  expect(new Set(gaps(ticks))).toEqual(new Set([3]));
});

test('a watcher without updates gets none', () => {
  const lineup = new Lineup(RATES, [10], { watcher: { updates: false } });
  lineup.tick();
  lineup.walk(0, 11);
  expect(lineup.ticks(5).updated).toEqual([]);
});

test('a change from before a marker entered is not reported', () => {
  const lineup = new Lineup(RATES, [500]);
  lineup.tick();
  lineup.walk(0, 90);
  expect(lineup.tick().entered).toEqual([0]);
  for (let i = 0; i < 5; i++) expect(lineup.tick().updated).toEqual([]);
});

test('a change in the tick after a marker entered is reported', () => {
  const lineup = new Lineup(RATES, [10, 500]);
  lineup.tick();
  lineup.walk(1, 20);
  expect(lineup.tick().entered).toEqual([1]);
  lineup.walk(1, 21);
  expect(lineup.tick().updated).toEqual([1]);
  expect(lineup.tick().updated).toEqual([]);
});

test('a watcher that switches updates on again gets the changes from then on, at the rates, also after a snapshot', () => {
  const world = new World({ interests: { default: RATES } });
  const watcher = world.add({ x: 0, y: 0, range: 100 });
  const markers = [10, 45, 90].map((x) => world.add({ x, y: 0 }));
  world.tick();
  world.update(watcher, { updates: false });
  for (let tick = 2; tick < 10; tick++) {
    for (const marker of markers) world.touch(marker);
    expect(world.tick().updatedCount).toBe(0);
  }
  for (const lived of [world, World.restore(world.snapshot())]) {
    lived.update(watcher, { updates: true });
    const told = new Map<number, number[]>(markers.map((marker) => [marker, []]));
    for (let tick = 10; tick < 30; tick++) {
      for (const marker of markers) lived.touch(marker);
      for (const marker of lived.tick().of(watcher)?.updated ?? []) told.get(marker)?.push(tick);
      lived.validate();
    }
    expect(markers.map((marker) => new Set(gaps(told.get(marker) ?? [])))).toEqual(
      [1, 2, 4].map((every) => new Set([every])),
    );
    // No change from the time without updates is reported, and none is late.
    expect(markers.map((marker) => (told.get(marker)?.[0] ?? 0) <= 13)).toEqual([true, true, true]);
  }
});

test('a failed tick that would have switched updates off loses no change that waits, also after a snapshot', () => {
  let isFailing = false;
  const admit = () => {
    if (isFailing) throw new Error('admit failed');
    return true;
  };
  const interests = { default: { ...RATES, admit } };
  const world = new World({ interests });
  const watcher = world.add({ x: 0, y: 0, range: 100 });
  // In slot 1, so its turn is in tick 3.
  const marker = world.add({ x: 90, y: 0 });
  const near = world.add({ x: 10, y: 0 });
  world.tick();
  for (const id of [marker, near]) world.touch(id);
  expect([...(world.tick().of(watcher)?.updated ?? [])]).toEqual([near]);
  world.update(watcher, { updates: false });
  world.add({ x: 10, y: 0 });
  isFailing = true;
  expect(() => world.tick()).toThrow('admit failed');
  isFailing = false;
  for (const lived of [World.restore(world.snapshot(), { interests }), world]) {
    lived.update(watcher, { updates: true });
    expect([...(lived.tick().of(watcher)?.updated ?? [])]).toEqual([marker]);
    lived.validate();
  }
});

test('with another interest, a change that waits is dropped, although nothing else happens in that tick', () => {
  const interests = { default: RATES, other: RATES };
  const world = new World({ interests });
  const watcher = world.add({ x: 0, y: 0, range: 100 });
  const marker = world.add({ x: 90, y: 0 });
  world.tick();
  world.touch(marker);
  expect(world.tick().updatedCount).toBe(0);
  world.update(watcher, { interest: 'other' });
  expect(world.tick().updatedCount).toBe(0);
  for (let tick = 4; tick < 10; tick++) expect(world.tick().updatedCount).toBe(0);
});

test('a watcher whose rates end without a range has none when it gets one', () => {
  const world = new World({ interests: { default: RATES } });
  const watcher = world.add({ x: 0, y: 0 });
  const marker = world.add({ x: 90, y: 0 });
  world.tick();
  world.setInterest('default', {});
  world.tick();
  world.update(watcher, { range: 100 });
  world.tick();
  for (let tick = 4; tick < 10; tick++) {
    world.touch(marker);
    expect(world.tick().updatedCount).toBe(1);
  }
});

test('a pin with a rate changes what waits by the rings only while it holds', () => {
  const world = new World({ interests: { default: RATES } });
  const watcher = world.add({ x: 0, y: 0, range: 100 });
  const marker = world.add({ x: 90, y: 0 });
  world.tick();
  world.pin(watcher, marker, 'a quest', { everyTicks: 8 });
  const told: number[] = [];
  for (const lived of [World.restore(world.snapshot()), world]) {
    for (let tick = 2; tick <= 24; tick++) {
      lived.touch(marker);
      if (tick === 17) lived.unpin(watcher, marker, 'a quest');
      if (lived.tick().updatedCount === 1) told.push(tick);
      lived.validate();
    }
  }
  // In slot 1: every eighth tick in which (tick + 1) is divisible by 8, then by 4.
  expect(told).toEqual([7, 15, 19, 23, 7, 15, 19, 23]);
});

test('watchers without rates that are added later get each update in its tick, and only once', () => {
  const world = new World({ interests: { default: {}, slow: { updateRates: [[1, 5]] } } });
  world.add({ x: -1000, y: 0, range: 10, interest: 'slow' });
  world.tick();
  const places = Array.from({ length: 20_000 }, (_, i) => i);
  const ids = world.addMany({
    x: places.map((i) => i % 200),
    y: places.map((i) => Math.floor(i / 200)),
    range: 2,
  });
  world.tick();
  const counts: number[] = [];
  for (let step = 1; step <= 6; step++) {
    // A third of them in each tick.
    for (let i = 0; i < ids.length; i++) {
      if ((i + step) % 3 === 0) world.move(ids[i], ((i + step) % 200) + 0.25, Math.floor(i / 200));
    }
    counts.push(world.tick().updatedCount);
  }
  // As many as in the same world without rates.
  expect(counts).toEqual([46002, 32769, 13102, 13200, 13269, 13269]);
});
