/**
 * Hand-written cases: quotas, which limit the seats for some layers.
 *
 * Positions are such that the cap alone, or distance alone, would seat other markers.
 */
import { expectReport, type HandWrittenCase } from '../../expectation.ts';

const [PLAYER, MONSTER, BOTH] = [1, 2, 3];

export const quotaCases: readonly HandWrittenCase[] = [
  {
    name: 'quotas: a marker over its quota gets no seat, and the next of another kind gets it',
    run(create) {
      const world = create({ interests: { default: { cap: 3, quotas: [{ layers: MONSTER, cap: 1 }] } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, sees: BOTH, marker: false });
      const kinds = [MONSTER, MONSTER, PLAYER, MONSTER, PLAYER, PLAYER];
      const things = kinds.map((layers, i) => world.add({ x: i + 1, y: 0, layers }));
      expectReport(world.tick(), [{ watcher, entered: [things[0], things[2], things[4]] }]);
      world.remove(things[0]);
      expectReport(world.tick(), [{ watcher, entered: [things[1]], left: [things[0]] }], [things[0]]);
    },
  },
  {
    name: 'quotas: hold without a cap, and the first that shares a layer counts a marker',
    run(create) {
      const quotas = [
        { layers: MONSTER, cap: 1 },
        { layers: BOTH, cap: 1 },
      ];
      const world = create({ interests: { default: { quotas } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, sees: 7, marker: false });
      const kinds = [BOTH, MONSTER, PLAYER, PLAYER, 4, 4];
      const things = kinds.map((layers, i) => world.add({ x: i + 1, y: 0, layers }));
      expectReport(world.tick(), [{ watcher, entered: [things[0], things[2], things[4], things[5]] }]);
    },
  },
  {
    name: 'quotas: a marker changes its kind while no entity moves',
    run(create) {
      const world = create({ interests: { default: { quotas: [{ layers: MONSTER, cap: 1 }] } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, sees: BOTH, marker: false });
      const [one, other] = [1, 2].map((x) => world.add({ x, y: 0, layers: x }));
      expectReport(world.tick(), [{ watcher, entered: [one, other] }]);
      world.update(one, { layers: MONSTER });
      expectReport(world.tick(), [{ watcher, left: [other] }]);
      world.setInterest('default', { quotas: [{ layers: MONSTER, cap: 2 }] });
      expectReport(world.tick(), [{ watcher, entered: [other] }]);
    },
  },
  {
    name: 'quotas: forced relations do not count',
    run(create) {
      const world = create({ interests: { default: { cap: 2, quotas: [{ layers: MONSTER, cap: 1 }] } } });
      const watcher = world.add({ x: 0, y: 0, range: 50, sees: BOTH, marker: false });
      const [boss, near, far] = [1, 2, 3].map((x) => world.add({ x, y: 0, layers: MONSTER }));
      world.pin(watcher, boss);
      expectReport(world.tick(), [{ watcher, entered: [boss, near] }]);
      world.remove(near);
      expectReport(world.tick(), [{ watcher, entered: [far], left: [near] }], [near]);
    },
  },
];
