// Example of: observeWorld, ObserveOptions, WorldObserver
import { joinWorld, memoryLog, type ObserveOptions, observeWorld, type WorldObserver } from '@umwelt/cluster';

const log = memoryLog();
const node = await joinWorld({ log, name: 'first', tickMs: 10 });
const hero = await node.add({ x: 0, y: 0, range: 10 });
await node.add({ x: 3, y: 4 });
await node.show(hero);

// The whole world from outside, with all views that any node shows: for an inspector, or a recording.
let ticks = 0;
const two = Promise.withResolvers<void>();
const options: ObserveOptions = {
  log,
  ticked() {
    ticks++;
    if (ticks === 2) two.resolve();
  },
};
const observer: WorldObserver = await observeWorld(options);
await two.promise;
console.log(observer.world.visibleTo(hero).length, observer.ownerOf(hero)?.name); // 1 first
observer.stop();
await node.leave();
