// Example of: Clock
import { type Clock, Gateway } from '@umwelt/gateway';
import { World } from 'umwelt';

// A clock that a test moves: half a minute passes in no time.
let nowMs = 0;
const repeated = new Set<() => void>();
const clock: Clock = {
  now: () => nowMs,
  repeat(action) {
    repeated.add(action);
    return () => repeated.delete(action);
  },
};
const gateway = new Gateway(new World(), {
  tickMs: 50,
  appearance: { positionStep: 0.01 },
  authenticate: () => undefined,
  clock,
});
nowMs += 30_000;
for (const action of repeated) action();
console.log(gateway.status().clients); // 0
await gateway.drain();
