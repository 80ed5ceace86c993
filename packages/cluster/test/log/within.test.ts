/** A time-out in a process that stood still: the answer that came meanwhile counts. */
import { MessageChannel } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { within } from '../../src/log/nats/connection.ts';

/** Holds up this process, as a debugger or a machine that sleeps does. */
function standStill(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test('an answer that came while the process stood still is taken', async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = within(1000, new Promise((resolve) => port1.once('message', resolve)));
  // Messages are read after timers have fired.
  setTimeout(() => port2.postMessage('here'), 990);
  standStill(1300);
  await expect(answer).resolves.toBe('here');
  port1.close();
});

test('no answer is told as such, once the process runs', async () => {
  const answer = within(50, new Promise(() => undefined));
  standStill(400);
  await expect(answer).rejects.toMatchObject({
    code: 'LOG_DOWN',
    message: expect.stringContaining('no answer in 50 ms'),
  });
});
