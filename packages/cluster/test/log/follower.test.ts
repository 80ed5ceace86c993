/** The watchdog of a follower, on a stream whose consumers never say anything: only the stream's end tells whether it is silent. */
import { expect, it, onTestFinished } from 'vitest';
import { Follower } from '../../src/log/nats/follower.ts';

/** Its stream has this many records, none of which comes. `info` rejects if there is no number. */
async function followedInSilence(from: number, end: () => number | undefined) {
  let [looks, losses] = [0, 0];
  const messages = { closed: () => new Promise(() => {}), stop: () => {} };
  const consumer = { consume: () => Promise.resolve(messages), delete: () => Promise.resolve(true) };
  const source = {
    connection: {
      isUp: true,
      onDown: () => () => {},
      during: (_limitMs: number, call: () => unknown) => call(),
      repeatedly: (_limitMs: number, call: () => unknown) => call(),
    },
    client: { consumers: { get: () => Promise.resolve(consumer) } },
    manager: {
      streams: {
        info: () => {
          looks++;
          const last = end();
          if (last === undefined) return Promise.reject(new Error('no answer'));
          return Promise.resolve({ state: { last_seq: last, messages: last } });
        },
      },
    },
    stream: 'UMWELT_silent',
  };
  const follower = new Follower(
    source as never,
    from,
    () => {},
    () => losses++,
  );
  onTestFinished(() => follower.stop());
  await follower.begin();
  return { looks: () => looks, losses: () => losses };
}

it('is lost when the stream has records that its consumer does not deliver, or does not answer', async () => {
  const [behind, unanswered] = [
    await followedInSilence(2, () => 2),
    await followedInSilence(2, () => undefined),
  ];
  await expect.poll(() => [behind.losses(), unanswered.losses()]).toEqual([1, 1]);
  expect([behind.looks(), unanswered.looks()]).toEqual([1, 1]);
});

it('is not lost while the world is silent, and looks again until it is not', async () => {
  let end = 1;
  const silent = await followedInSilence(2, () => end);
  await expect.poll(silent.looks).toBe(2);
  expect(silent.losses()).toBe(0);
  end = 2;
  await expect.poll(silent.losses).toBe(1);
});
