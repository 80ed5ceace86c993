/** Sounds from places, told to whoever would perceive them there; and entities that are for one watcher alone, by key. */
import { describe, expect, it } from 'vitest';
import type { Command } from '../src/serve/command.ts';
import { SOUNDS_MAX } from '../src/serve/serve-format.ts';
import { ServeStage } from './serve-stage.ts';

const TICK: Command = { do: 'tick' };

function watcher(key: string | number, x: number, properties: object = {}): Command {
  return { do: 'put', key, x, y: 0, properties: { range: 10, marker: false, ...properties } };
}

function sound(key: string | number, x: number, properties?: object): Command {
  return { do: 'sound', key, x, y: 0, ...(properties === undefined ? {} : { properties }) };
}

describe.each(['binary', 'json'] as const)('a caller, in %s', (form) => {
  it('is told what its watchers hear, as of the tick that follows', () => {
    const stage = new ServeStage();
    const [one, other] = [stage.join(form), stage.join(form)];
    one.send(watcher('near', 0), watcher(7, 30), TICK);
    other.send(watcher('theirs', 5), TICK);
    for (const caller of [one, other]) caller.takeTold();
    other.send(sound('bang', 3), sound(0, 25), sound('far', 500), watcher('theirs', 100), TICK);
    expect(one.takeTold()).toEqual(['heard "near">"bang"', 'heard 7>0']);
    expect(other.takeTold()).toEqual([]);
    one.send(TICK);
    expect([one.takeTold(), other.takeTold()]).toEqual([[], []]);
    one.send(sound('bell', 50, { minReach: 60 }), sound('quiet', 0, { gain: 0 }), TICK);
    expect(one.takeTold()).toEqual(['heard "near">"bell"', 'heard 7>"bell"']);
    expect(other.takeTold()).toEqual(['heard "theirs">"bell"']);
    expect([...one.codes, ...other.codes]).toEqual([]);
  });

  it('of an earlier version of the format hears nothing, and may make itself heard', () => {
    const stage = new ServeStage();
    const [old, present] = [stage.connect(form), stage.join(form)];
    old.hello('', 2);
    old.send(watcher('old', 0), sound('bang', 1), TICK);
    expect(old.takeTold()).toEqual([]);
    present.send(watcher('new', 0), TICK);
    old.send(sound('bang', 1), TICK);
    expect(old.takeTold()).toEqual([]);
    expect(present.takeTold()).toEqual(['heard "new">"bang"']);
  });

  it('is refused a sound that makes no sense, and too many of them', () => {
    const caller = new ServeStage().join(form);
    caller.send(watcher('near', 0), sound('a', 0, { minReach: -1 }), sound('b', 0, { range: 5 }));
    caller.send(sound('c', 2e12), sound('d', 0, { only: 'nobody' }), sound('e', 0, { only: [1] }));
    caller.send(sound('f', 0, { code: 'x', reason: 'y' }));
    expect(caller.codes).toEqual([
      ...['BAD_RANGE', 'BAD_OPTION', 'BAD_POSITION', 'UNKNOWN_KEY', 'BAD_OPTION', 'BAD_OPTION'],
    ]);
    caller.send(...Array.from({ length: SOUNDS_MAX + 2 }, (_, i) => sound(i, 0)), TICK);
    expect(caller.codes.slice(6)).toEqual(['FULL', 'FULL']);
    expect(caller.takeTold().length).toBe(SOUNDS_MAX);
  });

  it('has entities and sounds that are for one watcher alone, until that is gone', () => {
    const caller = new ServeStage().join(form);
    const loot: Command = { do: 'put', key: 'loot', x: 1, y: 0, properties: { only: 'owner' } };
    caller.send(watcher('owner', 0), watcher('thief', 0), loot, sound('psst', 0, { only: 'owner' }), TICK);
    expect(caller.takeTold()).toEqual(['entered "owner">"loot":1', 'heard "owner">"psst"']);
    caller.send({ do: 'update', key: 'loot', properties: { only: null } }, TICK);
    expect(caller.takeTold()).toEqual(['entered "thief">"loot":1']);
    caller.send({ do: 'update', key: 'loot', properties: { only: 'thief' } }, TICK);
    expect(caller.takeTold()).toEqual(['left "owner">"loot"']);
    caller.send({ do: 'update', key: 'loot', properties: { only: 'nobody' } });
    caller.send({ do: 'put', key: 'more', x: 0, y: 0, properties: { only: 3 } });
    expect(caller.codes).toEqual(['UNKNOWN_KEY', 'UNKNOWN_KEY']);
    // Another of that name is another entity.
    caller.send(
      sound('late', 0, { only: 'thief' }),
      { do: 'remove', key: 'thief' },
      watcher('thief', 0),
      TICK,
    );
    expect(caller.takeTold()).toEqual([]);
  });
});

it('a caller that fell behind does not hear what was told meanwhile', () => {
  const stage = new ServeStage();
  const caller = stage.join('binary');
  caller.send(watcher('near', 0), TICK);
  caller.bufferedBytes = 1e9;
  stage.service.tick();
  stage.service.keyed.sound('bang', 0, 0, undefined, undefined);
  stage.service.tick();
  caller.bufferedBytes = 0;
  stage.clock.advance?.(100);
  stage.service.tick();
  expect(caller.takeTold().filter((line) => line.startsWith('heard'))).toEqual([]);
});
