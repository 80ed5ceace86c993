/**
 * The model by itself: it passes every hand-written case, and what it reports adds up.
 *
 * A case that fails here is a mistake in the case or the model, before any detector is blamed.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { handWrittenCases } from '../../src/conformance/suite.ts';
import { WorldModel } from '../../src/conformance/world-model.ts';

/** Asks an index for room. To the model each pair is by itself, and four million of them take longer than all other cases. */
const FOR_AN_INDEX = '2,000 entities on one point perceive one another, and all report one that leaves';

describe('the model passes', () => {
  for (const { name, run } of handWrittenCases) {
    if (name === FOR_AN_INDEX) continue;
    test(name, () => run((options) => new WorldModel(options)));
  }
});

/** A model with a crowd of two senses, and a step that changes something of everything. */
function livelyModel() {
  const model = new WorldModel({ senses: ['sight', 'hearing'] });
  const random = new Random(9);
  const place = () => random.between(-10, 10);
  const add = () =>
    model.add({ x: place(), y: place(), range: { sight: random.below(6), hearing: random.below(6) } });
  for (let i = 0; i < 30; i++) add();
  const step = () => {
    for (const id of model.ids()) {
      const fate = random.below(8);
      if (fate === 0) model.remove(id);
      else if (fate < 5) model.move(id, place(), place());
      else if (fate === 5) model.touch(id);
      else if (fate === 6) model.update(id, { gain: random.below(3), layers: random.below(4) });
    }
    for (let i = 0; i < 4; i++) add();
    return model.tick();
  };
  return { model, step };
}

test('its relations are the sum of what it reported', () => {
  const { model, step } = livelyModel();
  const visible = new Map<number, Set<number>>();
  for (let tick = 0; tick < 60; tick++) {
    const report = step();
    for (const id of report.removed) visible.delete(id);
    for (const { watcher, entered, left } of report) {
      const markers = visible.get(watcher) ?? new Set();
      visible.set(watcher, markers);
      for (const id of left) expect(markers.delete(id)).toBe(true);
      for (const id of entered) {
        expect(markers.has(id)).toBe(false);
        markers.add(id);
      }
    }
    for (const id of model.ids()) {
      const markers = [...(visible.get(id) ?? [])].sort((one, other) => one - other);
      expect([...model.visibleTo(id)]).toEqual(markers);
    }
  }
});

test('updated and sensed name only those related before and after', () => {
  const { model, step } = livelyModel();
  let before = new Map<number, Set<number>>();
  let seen = 0;
  for (let tick = 0; tick < 40; tick++) {
    const report = step();
    for (const { watcher, updated, sensed } of report) {
      for (const marker of [...updated, ...sensed]) {
        expect(before.get(watcher)?.has(marker)).toBe(true);
        expect(model.related(watcher, marker)).toBe(true);
        seen++;
      }
    }
    before = new Map([...model.ids()].map((id) => [id, new Set(model.visibleTo(id))]));
  }
  expect(seen).toBeGreaterThan(100);
});

test('visibleTo, watchersOf, related and senses say the same', () => {
  const { model, step } = livelyModel();
  step();
  for (const watcher of model.ids()) {
    for (const marker of model.ids()) {
      const related = model.related(watcher, marker);
      expect(model.visibleTo(watcher).includes(marker)).toBe(related);
      expect(model.watchersOf(marker).includes(watcher)).toBe(related);
      expect(model.senses(watcher, marker) !== 0).toBe(related);
    }
  }
});

test('the same steps report the same', () => {
  const [one, other] = [livelyModel(), livelyModel()];
  for (let tick = 0; tick < 10; tick++) {
    expect([...one.step()].map((view) => [...view.entered])).toEqual(
      [...other.step()].map((view) => [...view.entered]),
    );
  }
});
