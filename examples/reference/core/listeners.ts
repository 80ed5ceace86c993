// Example of: WorldEvent, EventListener, ListenerOptions, WatchEvent, WatchListener
import {
  type EventListener,
  type ListenerOptions,
  type WatchEvent,
  type WatchListener,
  World,
  type WorldEvent,
} from 'umwelt';

const world = new World({ interests: { scouts: {} } });
const log: string[] = [];
const told: EventListener = (_watcher, _marker, senses) => log.push(`pair, senses ${senses}`);
const events: WorldEvent[] = ['enter', 'leave'];
const scoutsOnly: ListenerOptions = { interest: 'scouts' };
const stops = events.map((event) => world.on(event, told, scoutsOnly));

const woken: WatchListener = () => log.push('it is watched');
const event: WatchEvent = 'watched';
world.on(event, woken);

world.add({ x: 0, y: 0, range: 10, interest: 'scouts' });
const wolf = world.add({ x: 5, y: 0 });
world.tick();
console.log(log.join('; ')); // pair, senses 1; it is watched
world.move(wolf, 50, 0);
world.tick();
console.log(log.at(-1)); // pair, senses 0
for (const stop of stops) stop();
