/**
 * Hand-written cases: attached entities are at the positions that follow from their parents, and have the relations
 * of their parents.
 */
import type { EntityId } from '../../index.ts';
import { UmweltError } from '../../index.ts';
import { expectIds, expectNothing, expectReport, expectSame, type HandWrittenCase } from '../expectation.ts';
import type { Subject } from '../subject.ts';

export const attachmentCases: readonly HandWrittenCase[] = [
  {
    name: 'a child enters and leaves with its parent, whatever its offset',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const horse = world.add({ x: 100, y: 0 });
      const rider = world.add({ x: 0, y: 5 });
      expectReport(world.tick(), [{ watcher, entered: [rider] }]);
      world.attach(rider, horse, { x: -50, y: 1 });
      expectReport(world.tick(), [{ watcher, left: [rider] }]);
      expectPlace(world, rider, [50, 1]);
      world.move(horse, 10, 0);
      expectReport(world.tick(), [{ watcher, entered: [horse, rider] }]);
      expectPlace(world, rider, [-40, 1]);
      world.move(horse, 9, 0);
      expectReport(world.tick(), [{ watcher, updated: [horse, rider] }]);
      world.touch(rider);
      expectReport(world.tick(), [{ watcher, updated: [rider] }]);
      expectIds('visibleTo', world.visibleTo(watcher), [horse, rider]);
      expectIds('watchersOf', world.watchersOf(rider), [watcher]);
      world.move(horse, 11, 0);
      expectReport(world.tick(), [{ watcher, left: [horse, rider] }]);
    },
  },
  {
    name: 'attaching and detaching within reach reports neither enter nor leave',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const [ship, sailor] = [world.add({ x: 1, y: 0 }), world.add({ x: 2, y: 0 })];
      world.tick();
      world.attach(sailor, ship, { x: 1 });
      expectNothing(world.tick());
      world.detach(sailor);
      expectNothing(world.tick());
      world.attach(sailor, ship, { x: 20 });
      expectReport(world.tick(), [{ watcher, updated: [sailor] }]);
      world.detach(sailor);
      expectReport(world.tick(), [{ watcher, left: [sailor] }]);
      expectPlace(world, sailor, [21, 0]);
      world.attach(sailor, ship);
      world.detach(sailor);
      expectReport(world.tick(), [{ watcher, entered: [sailor] }]);
      expectPlace(world, sailor, [1, 0]);
    },
  },
  {
    name: 'offsets add up along a chain of eight, each sum rounded to float32; a ninth link is rejected',
    run(create) {
      const world = create({ dimensions: 3 });
      const chain = Array.from({ length: 10 }, () => world.add({ x: 5, y: 5, z: 5 }));
      const offset = { x: 0.1, z: -0.1 };
      for (let i = 1; i <= 8; i++) world.attach(chain[i], chain[i - 1], offset);
      expectRefusal('CAPACITY', () => world.attach(chain[9], chain[8]));
      world.attach(chain[9], chain[7]);
      expectRefusal('CAPACITY', () => world.attach(chain[0], world.add({ x: 0, y: 0, z: 0 })));
      world.move(chain[0], 1e6, 0, 0);
      world.tick();
      let [x, z] = [1e6, 0];
      for (let i = 1; i <= 8; i++) {
        [x, z] = [Math.fround(x + Math.fround(0.1)), Math.fround(z + Math.fround(-0.1))];
        expectPlace(world, chain[i], [x, 0, z]);
        expectSame('parentOf', world.parentOf(chain[i]) ?? 0, chain[i - 1]);
      }
      expectIds('childrenOf', world.childrenOf(chain[7]), [chain[8], chain[9]]);
    },
  },
  {
    name: 'rings are rejected, and so is a move of an attached entity',
    run(create) {
      const world = create();
      const [one, two, three] = Array.from({ length: 3 }, (_, i) => world.add({ x: i, y: 0 }));
      world.attach(two, one);
      world.attach(three, two);
      expectRefusal('BAD_ID', () => world.attach(one, one));
      expectRefusal('BAD_ID', () => world.attach(one, three));
      expectRefusal('UNSUPPORTED', () => world.move(three, 9, 9));
      expectRefusal('UNSUPPORTED', () => world.moveMany(Uint32Array.of(one, three), [9, 9], [9, 9]));
      expectPlace(world, one, [0, 0]);
      world.attach(three, one);
      world.attach(two, three);
      world.detach(two);
      world.detach(two);
      world.move(two, 9, 9);
      expectPlace(world, two, [9, 9]);
    },
  },
  {
    name: 'a child moves with its parent at once, as position() reports it',
    run(create) {
      const world = create();
      const [cart, load] = [world.add({ x: 1, y: 1 }), world.add({ x: 50, y: 50 })];
      world.attach(load, cart, { y: 2 });
      expectPlace(world, load, [1, 3]);
      world.move(cart, 7, 7);
      expectPlace(world, load, [7, 9]);
      world.attach(load, cart, { y: -2 });
      expectPlace(world, load, [7, 5]);
    },
  },
  {
    name: 'a watcher that does not meet a child does not relate to it, nor to its children',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const wagon = world.add({ x: 1, y: 0 });
      const ghost = world.add({ x: 1, y: 0, layers: 2 });
      const lamp = world.add({ x: 1, y: 0 });
      world.attach(ghost, wagon);
      world.attach(lamp, ghost);
      expectReport(world.tick(), [{ watcher, entered: [wagon] }]);
      world.update(watcher, { sees: 3 });
      expectReport(world.tick(), [{ watcher, entered: [ghost, lamp] }]);
      world.update(lamp, { channel: 3 });
      expectNothing(world.tick());
      world.update(watcher, { channel: 4 });
      expectReport(world.tick(), [{ watcher, left: [lamp] }]);
      world.update(ghost, { marker: false });
      world.update(lamp, { channel: 0 });
      expectReport(world.tick(), [{ watcher, left: [ghost] }]);
    },
  },
  {
    name: 'a child has the senses of its parent, whatever its own gain',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 5 } });
      const horse = world.add({ x: 7, y: 0 });
      const rider = world.add({ x: 0, y: 0, gain: 0 });
      world.attach(rider, horse);
      expectReport(world.tick(), [{ watcher, entered: [horse, rider] }]);
      expectSame('senses', world.senses(watcher, rider), 1);
      world.update(horse, { gain: { sight: 0, hearing: 2 } });
      expectReport(world.tick(), [{ watcher, sensed: [horse, rider] }]);
      expectSame('senses', world.senses(watcher, rider), 2);
    },
  },
  {
    name: 'watchers of a tree relate to its children whatever the distance, if they perceive at all',
    run(create) {
      const world = create();
      const bus = world.add({ x: 0, y: 0, range: 1 });
      const driver = world.add({ x: 0, y: 0, range: 1 });
      const guest = world.add({ x: 0, y: 0, range: 1 });
      const bag = world.add({ x: 0, y: 0 });
      world.attach(driver, bus, { x: 100 });
      world.attach(guest, bus, { x: 200 });
      world.attach(bag, guest, { x: 300 });
      expectReport(world.tick(), [
        { watcher: bus, entered: [driver, guest, bag] },
        { watcher: driver, entered: [guest, bag] },
        { watcher: guest, entered: [driver, bag] },
      ]);
      world.update(bus, { range: 0 });
      expectReport(world.tick(), [{ watcher: bus, left: [driver, guest, bag] }]);
      world.detach(guest);
      expectReport(world.tick(), [
        { watcher: driver, left: [guest, bag] },
        { watcher: guest, left: [driver] },
      ]);
    },
  },
  {
    name: 'when a chain is divided, one part leaves and the other stays',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const train = Array.from({ length: 5 }, (_, i) => world.add({ x: 500 + i, y: 0 }));
      for (let i = 1; i < 5; i++) world.attach(train[i], train[i - 1], { x: 4 });
      world.move(train[0], 1, 0);
      expectReport(world.tick(), [{ watcher, entered: train }]);
      world.remove(train[2]);
      expectReport(world.tick(), [{ watcher, left: [train[2], train[3], train[4]] }], [train[2]]);
      expectPlace(world, train[3], [13, 0]);
      world.move(train[3], 2, 0);
      expectReport(world.tick(), [{ watcher, entered: [train[3], train[4]] }]);
      world.attach(train[3], train[1]);
      world.move(train[0], 3, 0);
      expectReport(world.tick(), [{ watcher, updated: [train[0], train[1], train[3], train[4]] }]);
    },
  },
  {
    name: 'an attached entity takes no seat, and costs no other entity its seat',
    run(create) {
      const world = create({ interests: { default: { cap: 1 } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
      const [horse, other] = [world.add({ x: 2, y: 0 }), world.add({ x: 3, y: 0 })];
      const [rider, sword] = [world.add({ x: 0, y: 0 }), world.add({ x: 0, y: 0 })];
      world.attach(rider, horse);
      world.attach(sword, rider);
      expectReport(world.tick(), [{ watcher, entered: [horse, rider, sword] }]);
      world.move(other, 0.5, 0);
      expectReport(world.tick(), [{ watcher, left: [horse, rider, sword], entered: [other] }]);
      world.detach(rider);
      world.remove(other);
      expectReport(world.tick(), [{ watcher, left: [other], entered: [horse] }], [other]);
      world.remove(horse);
      expectReport(world.tick(), [{ watcher, left: [horse], entered: [rider, sword] }], [horse]);
    },
  },
  {
    name: 'blocks and pins decide before the parent does; groups and always do not',
    run(create) {
      const world = create({ interests: { default: { showGroup: true } } });
      const watcher = world.add({ x: 0, y: 0, range: 10, group: 1 });
      const horse = world.add({ x: 50, y: 0 });
      const [rider, flag] = [world.add({ x: 0, y: 0, group: 1 }), world.add({ x: 0, y: 0, always: true })];
      world.attach(rider, horse);
      world.attach(flag, horse);
      expectNothing(world.tick());
      world.pin(watcher, rider);
      expectReport(world.tick(), [{ watcher, entered: [rider] }]);
      expectSame('senses', world.senses(watcher, rider), 0);
      world.block(watcher, flag);
      world.move(horse, 5, 0);
      expectReport(world.tick(), [{ watcher, entered: [horse], updated: [rider], sensed: [rider] }]);
      world.unpin(watcher, rider);
      world.unblock(watcher, flag);
      expectReport(world.tick(), [{ watcher, entered: [flag] }]);
      world.block(watcher, horse);
      expectReport(world.tick(), [{ watcher, left: [horse, rider, flag] }]);
    },
  },
  {
    name: 'a child perceives from its own position',
    run(create) {
      const world = create();
      const ship = world.add({ x: 0, y: 0 });
      const lookout = world.add({ x: 0, y: 0, range: 5, marker: false });
      const buoy = world.add({ x: 104, y: 0 });
      world.attach(lookout, ship, { y: 3 });
      expectReport(world.tick(), [{ watcher: lookout, entered: [ship] }]);
      world.move(ship, 100, 0);
      expectReport(world.tick(), [{ watcher: lookout, entered: [buoy], updated: [ship] }]);
      world.attach(lookout, ship, { y: 4 });
      expectReport(world.tick(), [{ watcher: lookout, left: [buoy] }]);
    },
  },
  {
    name: 'update rates hold for attached entities, by position and by the last update',
    run(create) {
      const world = create({
        interests: {
          default: {
            updateRates: [
              [0.5, 1],
              [1, 4],
            ],
          },
        },
      });
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const [cart, load] = [world.add({ x: 10, y: 0 }), world.add({ x: 0, y: 0 })];
      world.attach(load, cart, { x: 60 });
      expectReport(world.tick(), [{ watcher, entered: [cart, load] }]);
      const told: number[] = [];
      for (let step = 1; step <= 8; step++) {
        world.move(cart, 10, step);
        const view = world.tick().of(watcher);
        told.push(view?.updated.length ?? 0);
      }
      // The load has slot 2: its turn comes in ticks 2 and 6.
      expectSame('told', told.join(), '2,1,1,1,2,1,1,1');
    },
  },
  {
    name: 'another interest, and the old one back between two ticks, change no turn of an attached entity',
    run(create) {
      const world = create({ interests: { default: { updateRates: [[1, 4]] }, other: {} } });
      const watcher = world.add({ x: 0, y: 0, range: 100 });
      const [cart, load] = [world.add({ x: 10, y: 0 }), world.add({ x: 0, y: 0 })];
      world.attach(load, cart, { x: 5 });
      expectReport(world.tick(), [{ watcher, entered: [cart, load] }]);
      for (let step = 0; step < 2; step++) world.tick();
      world.move(cart, 11, 0);
      const told = [[...(world.tick().of(watcher)?.updated ?? [])]];
      for (let step = 0; step < 4; step++) {
        world.update(watcher, { interest: 'other' });
        world.update(watcher, { interest: 'default' });
        told.push([...(world.tick().of(watcher)?.updated ?? [])]);
      }
      // They moved once, in the fourth tick; in the fifth it is four ticks since they entered.
      expectSame('told', JSON.stringify(told), JSON.stringify([[], [cart, load], [], [], []]));
    },
  },
];

function expectPlace(world: Subject, id: EntityId, place: readonly number[]): void {
  expectSame(`the place of ${id}`, [...world.position(id)].join(), place.map(Math.fround).join());
}

function expectRefusal(code: string, call: () => void): void {
  let found = 'none';
  try {
    call();
  } catch (error) {
    if (!(error instanceof UmweltError)) throw error;
    found = error.code;
  }
  expectSame('the error', found, code);
}
