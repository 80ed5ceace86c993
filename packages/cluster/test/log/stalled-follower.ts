/**
 * A follower that takes nothing for a while, as a node whose process was stopped: a worker thread that blocks when told to,
 * and says what it took.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { natsLog } from '../../src/log/nats-log.ts';

const { servers, world } = workerData as { servers: string; world: string };
const log = await natsLog({ servers, world });
let [count, losses] = [0, 0];
const tell = () => parentPort?.postMessage({ count, losses });
await log.follow(
  1,
  () => {
    count++;
    tell();
  },
  () => {
    losses++;
    tell();
  },
);
parentPort?.on('message', (stallMs: number) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs);
});
tell();
