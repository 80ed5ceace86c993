/** Records that wait for a slow reader: what is held of them. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { WaitingRecords } from '../../src/log/nats/waiting-records.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it('holds nothing of records that were handed on, also while others always wait', async () => {
  const handedOn: WeakRef<Uint8Array>[] = [];
  let drained = 0;
  const waiting = new WaitingRecords(
    (_position, bytes) => {
      const fromMs = performance.now();
      while (performance.now() - fromMs < 11);
      handedOn.push(new WeakRef(bytes));
    },
    () => drained++,
  );
  let position = 0;
  const add = () => waiting.add(++position, new Uint8Array(1000));
  for (let i = 0; i < 5; i++) add();
  while (handedOn.length < 40) {
    const { length } = handedOn;
    while (handedOn.length === length) await nextTurn();
    add();
  }
  await nextTurn();
  collectGarbage();
  expect([waiting.isEmpty, drained]).toEqual([false, 0]);
  expect(handedOn.filter((each) => each.deref() !== undefined).length).toBeLessThan(5);
  waiting.drop();
});
