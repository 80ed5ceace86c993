/** What a running world says of itself, against what the world under it answers. */
import { createScenario } from '@umwelt/scenarios';
import { describe, expect, it } from 'vitest';
import { RunningWorld } from '../src/running-world.ts';
import { FakeClock } from './fake-clock.ts';

const PACE = { paused: false, ticksBehind: 0 };

function running(scenario: string) {
  const clock = new FakeClock();
  const simulation = createScenario(scenario, { entities: 300, seed: 4 });
  return { clock, world: new RunningWorld(simulation, { clock, detector: 'sweep', hashed: false }) };
}

describe('the status of a running world', () => {
  it('has as many relations as the world answers, whoever comes and goes', () => {
    const { clock, world } = running('teleporters');
    for (let tick = 0; tick < 20; tick++) {
      world.tick();
      clock.spend(50);
      let relations = 0;
      for (const id of world.world.ids()) relations += world.world.visibleTo(id).length;
      expect(world.status(PACE)).toMatchObject({ relations, entities: world.world.size });
      expect(relations).toBeGreaterThan(0);
    }
  });

  it('counts as events the pairs that entered, left and were sensed, and no updates', () => {
    const { clock, world } = running('city');
    // Everybody's first surroundings are out of the window of the rate by then.
    for (let tick = 0; tick < 100; tick++) {
      world.tick();
      clock.spend(50);
    }
    let events = 0;
    let updates = 0;
    for (let tick = 0; tick < 200; tick++) {
      const { changes } = world.tick();
      events += changes.enteredCount + changes.leftCount + changes.sensedCount;
      updates += changes.updatedCount;
      clock.spend(50);
    }
    const { eventsPerSecond } = world.status(PACE);
    expect(eventsPerSecond).toBeGreaterThan((events / 10) * 0.5);
    expect(eventsPerSecond).toBeLessThan((events / 10) * 2);
    expect(updates / 10).toBeGreaterThan(eventsPerSecond * 3);
    expect(world.figures.events.updated).toBeGreaterThanOrEqual(updates);
  });

  it('names the detector that the world has now', () => {
    const { world } = running('city');
    world.tick();
    expect(world.status(PACE).detector).toBe('sweep');
    world.world.setDetector('tower');
    expect(world.status(PACE).detector).toBe('tower');
  });
});
