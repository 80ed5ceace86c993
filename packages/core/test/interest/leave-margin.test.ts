/**
 * A leave margin: a pair enters at the reach and leaves only so much beyond it, so that no marker flickers at
 * the edge.
 */
import { expect, test } from 'vitest';
import { Lineup } from './lineup.ts';

const MARGIN = { leaveMargin: 5 };

test('a marker enters at the reach and leaves beyond the reach plus the margin', () => {
  const lineup = new Lineup(MARGIN, [103]);
  expect(lineup.tick().entered).toEqual([]);
  lineup.walk(0, 100);
  expect(lineup.tick().entered).toEqual([0]);
  lineup.walk(0, 105);
  expect(lineup.tick().left).toEqual([]);
  lineup.walk(0, 105.001);
  expect(lineup.tick().left).toEqual([0]);
});

test('a marker that left enters again only at the reach', () => {
  const lineup = new Lineup(MARGIN, [90]);
  lineup.tick();
  lineup.walk(0, 106);
  expect(lineup.tick().left).toEqual([0]);
  lineup.walk(0, 101);
  expect(lineup.tick().entered).toEqual([]);
  lineup.walk(0, 99);
  expect(lineup.tick().entered).toEqual([0]);
});

test('the margin holds without a time limit, and is added to minReach and gain', () => {
  const lineup = new Lineup(MARGIN, [50, 140], { marker: { gain: 0.5 } });
  lineup.update(1, { minReach: 140 });
  lineup.tick();
  lineup.walk(0, 55);
  lineup.walk(1, 145);
  expect(lineup.ticks(4).left).toEqual([]);
  expect(lineup.seen).toEqual([0, 1]);
  lineup.walk(0, 55.01);
  lineup.walk(1, 145.01);
  expect(lineup.tick().left).toEqual([0, 1]);
});

test('it holds each sense by itself, and only the senses that perceived before', () => {
  const range = { sight: 100, hearing: 20 };
  const lineup = new Lineup(MARGIN, [20, 30], {
    world: { senses: ['sight', 'hearing'], interests: { default: MARGIN } },
    watcher: { range },
  });
  lineup.tick();
  lineup.walk(0, 24);
  lineup.walk(1, 24);
  expect(lineup.tick().sensed).toEqual([]);
  expect(lineup.markers.map((id) => lineup.world.senses(lineup.watcher, id))).toEqual([3, 1]);
  lineup.walk(0, 26);
  expect(lineup.tick().sensed).toEqual([0]);
});

test('a marker that cloaks leaves at once, with or without a margin', () => {
  const lineup = new Lineup(MARGIN, [1]);
  lineup.tick();
  lineup.update(0, { gain: 0 });
  expect(lineup.tick().left).toEqual([0]);
});

test('a marker that came in and went out again between two ticks was never related', () => {
  const lineup = new Lineup(MARGIN, [200]);
  lineup.tick();
  lineup.walk(0, 50);
  lineup.walk(0, 103);
  expect(lineup.tick().entered).toEqual([]);
});
