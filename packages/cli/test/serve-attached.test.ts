/** Attachments by key, and who is gone told apart from who left, as callers of both versions of the format know them. */
import { describe, expect, it } from 'vitest';
import type { Command } from '../src/serve/command.ts';
import { ServeStage } from './serve-stage.ts';

const GUARD: Command = { do: 'put', key: 'guard', x: 0, y: 0, properties: { range: 50, marker: false } };
const TICK: Command = { do: 'tick' };

function put(key: string, x: number): Command {
  return { do: 'put', key, x, y: 0 };
}

function attach(key: string, to: string, x = 0): Command {
  return { do: 'attach', key, to, x, y: 0 };
}

describe.each(['binary', 'json'] as const)('a caller, in %s', (form) => {
  it('is told of one that was removed as gone, and of one that went out of range as left', () => {
    const caller = new ServeStage().join(form);
    caller.send(GUARD, put('wolf', 5), put('sheep', 6), put('hare', 7), TICK);
    caller.takeTold();
    caller.send({ do: 'remove', key: 'wolf' }, put('sheep', 500), TICK);
    expect(caller.takeTold()).toEqual(['gone "guard">"wolf"', 'left "guard">"sheep"']);
    expect(caller.relations).toEqual(['"guard">"hare":1']);
  });

  it('is told of one that was teleported as left and entered', () => {
    const caller = new ServeStage().join(form);
    const leap = (key: string, x: number, properties: object): Command => {
      const all = { teleport: true, ...properties };
      return { do: 'put', key, x, y: 0, properties: all };
    };
    caller.send(GUARD, leap('wolf', 5, {}), put('sheep', 6), TICK);
    expect(caller.takeTold()).toEqual(['entered "guard">"sheep":1', 'entered "guard">"wolf":1']);
    caller.send(leap('wolf', 40, {}), leap('sheep', 30, { weight: 2 }), put('sheep', 31), TICK);
    expect(caller.takeTold()).toEqual([
      'entered "guard">"sheep":1',
      'entered "guard">"wolf":1',
      'left "guard">"sheep"',
      'left "guard">"wolf"',
    ]);
    expect(caller.relations).toEqual(['"guard">"sheep":1', '"guard">"wolf":1']);
    caller.send(leap('wolf', 20, { teleport: 'far' }), leap('wolf', 20, { range: -1 }), TICK);
    expect(caller.codes).toEqual(['BAD_OPTION', 'BAD_RANGE']);
    expect(caller.takeTold()).toEqual([]);
  });

  it('is told of bands as senses', () => {
    const caller = new ServeStage({ senses: ['near', 'far'] }).join(form);
    const range = { near: 10, far: 40 };
    caller.send(
      { do: 'put', key: 'guard', x: 0, y: 0, properties: { range, marker: false } },
      put('wolf', 30),
      TICK,
    );
    expect(caller.takeTold()).toEqual(['entered "guard">"wolf":2']);
    caller.send(put('wolf', 9), TICK);
    expect(caller.takeTold()).toEqual(['sensed "guard">"wolf":3', 'updated "guard">"wolf"']);
    caller.send(put('wolf', 11), TICK);
    expect(caller.takeTold()).toEqual(['sensed "guard">"wolf":2', 'updated "guard">"wolf"']);
  });

  it('is told of a crowd in portions, the nearest first, and of leaves at once', () => {
    const stage = new ServeStage({ interests: { default: { enterBudget: 2 } } });
    const caller = stage.join(form);
    caller.send(GUARD, put('a', 4), put('b', 3), put('c', 2), put('d', 1), TICK);
    expect(caller.takeTold()).toEqual(['entered "guard">"c":1', 'entered "guard">"d":1']);
    caller.send(put('c', 500), { do: 'remove', key: 'd' }, TICK);
    expect(caller.takeTold()).toEqual([
      'entered "guard">"a":1',
      'entered "guard">"b":1',
      'gone "guard">"d"',
      'left "guard">"c"',
    ]);
  });

  it('of the first version of the format is told of both alike, and of no attachments', () => {
    const stage = new ServeStage();
    const caller = stage.connect(form);
    caller.hello('', 1);
    expect(caller.welcome?.version).toBe(1);
    caller.send(GUARD, put('wolf', 5), put('rider', 6), attach('rider', 'wolf'), TICK);
    expect(caller.takeTold()).toEqual(['entered "guard">"rider":1', 'entered "guard">"wolf":1']);
    caller.send({ do: 'remove', key: 'wolf' }, TICK);
    expect(caller.takeTold()).toEqual(['left "guard">"wolf"']);
  });

  it('hears parents before their children, and from whom each hangs', () => {
    const caller = new ServeStage().join(form);
    // The child has the lower slot.
    caller.send(GUARD, put('sword', 1), put('rider', 2), put('horse', 30));
    caller.send(attach('sword', 'rider', 1), attach('rider', 'horse', 1), TICK);
    const entered = caller.views.flatMap(({ rows }) => rows).find(({ list }) => list === 'entered');
    expect(entered?.markers).toEqual(['horse', 'rider', 'sword']);
    expect(caller.takeTold().filter((line) => line.startsWith('attached'))).toEqual([
      'attached "guard">"rider" to "horse"',
      'attached "guard">"sword" to "rider"',
    ]);
    caller.send({ do: 'detach', key: 'sword' }, attach('rider', 'sword'), TICK);
    expect(caller.takeTold().filter((line) => line.startsWith('attached'))).toEqual([
      'attached "guard">"rider" to "sword"',
      'attached "guard">"sword" to undefined',
    ]);
    caller.send({ do: 'remove', key: 'sword' }, TICK);
    expect(caller.takeTold()).toContain('attached "guard">"rider" to undefined');
  });

  it('hears nothing of one that hangs from the same at the end of a tick', () => {
    const caller = new ServeStage().join(form);
    caller.send(GUARD, put('rider', 1), put('horse', 2), attach('rider', 'horse'), TICK);
    caller.takeTold();
    caller.send({ do: 'detach', key: 'rider' }, attach('rider', 'horse'), TICK);
    expect(caller.takeTold().filter((line) => line.startsWith('attached'))).toEqual([]);
  });

  it('may let its own hang from another caller’s, and not the other way round', () => {
    const stage = new ServeStage();
    const [one, other] = [stage.join(form), stage.join(form)];
    one.send(GUARD, put('horse', 5));
    other.send(put('rider', 6), attach('rider', 'horse', 1), attach('horse', 'rider'));
    expect(other.codes).toEqual(['NOT_YOURS']);
    other.send(TICK);
    expect(one.takeTold()).toContain('attached "guard">"rider" to "horse"');
    // Its horse is put away with the connection that had it, and the rider stays where it is.
    const third = stage.join(form);
    third.send(put('mule', 7));
    other.send(attach('rider', 'mule'), TICK);
    one.takeTold();
    third.events?.closed(1006);
    other.send(TICK);
    expect(one.takeTold()).toContain('attached "guard">"rider" to undefined');
  });

  it('is refused what the world refuses, and what it does not know', () => {
    const caller = new ServeStage().join(form);
    caller.send(put('a', 1), put('b', 2), attach('a', 'b'), attach('b', 'a'), attach('a', 'nobody'));
    caller.send(
      put('a', 9),
      { do: 'detach', key: 'nobody' },
      { do: 'attach', key: 'a', to: 'b', x: Number.NaN },
    );
    expect(caller.codes).toEqual(['BAD_ID', 'UNKNOWN_KEY', 'UNSUPPORTED', 'UNKNOWN_KEY', 'BAD_POSITION']);
  });

  it('is told by keys, not by ids that it does not know, what may not be moved or attached', () => {
    const caller = new ServeStage().join(form);
    const links = [attach('b', 'a'), attach('c', 'b')];
    caller.send(
      put('a', 1),
      put('b', 2),
      put('c', 3),
      ...links,
      put('b', 9),
      attach('a', 'c'),
      attach('a', 'a'),
    );
    const reasons = caller.refused.flatMap(({ commands }) => commands.map(({ reason }) => reason));
    expect(reasons).toEqual([
      '"b" is attached and cannot be moved: expected a put of its root, an attach with another offset, or a detach first',
      '"a" cannot be attached to "c", which is attached to it, directly or through others: expected no ring',
      '"a" cannot be attached to itself, expected another entity',
    ]);
  });

  it('that fell behind is told all attachments anew', () => {
    const stage = new ServeStage();
    const caller = stage.join(form);
    caller.send(GUARD, put('rider', 1), put('horse', 2), attach('rider', 'horse'), TICK);
    caller.bufferedBytes = 1e9;
    caller.send(TICK);
    caller.takeTold();
    stage.service.tick();
    caller.bufferedBytes = 0;
    stage.clock.advance(1000);
    stage.service.tick();
    expect(caller.views.at(-1)?.resync).toBe(true);
    expect(caller.takeTold()).toContain('attached "guard">"rider" to "horse"');
  });
});

it('of JSON needs the key of whom to hang from', () => {
  const caller = new ServeStage().join('json');
  caller.send(put('a', 1), { do: 'attach', key: 'a' } as unknown as Command);
  expect(caller.codes).toEqual(['MALFORMED']);
});
