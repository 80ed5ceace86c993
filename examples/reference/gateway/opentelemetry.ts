// Example of: observeGateway, observeWorld, ObserveOptions, ObservedGateway, ObservedWorld, WorldObserver
import { Gateway } from '@umwelt/gateway';
import {
  type ObservedGateway,
  type ObservedWorld,
  type ObserveOptions,
  observeGateway,
  observeWorld,
  type WorldObserver,
} from '@umwelt/gateway/opentelemetry';
import { World } from 'umwelt';

// Spans and metrics go to the providers that your program has registered; without one they go nowhere.
const options: ObserveOptions = { attributes: { room: 'meadow' }, slowMs: 20 };
const world = new World();
const gateway = new Gateway(world, {
  tickMs: 50,
  appearance: { positionStep: 0.01 },
  authenticate: () => undefined,
});
const observed: ObservedGateway = gateway;
const stop = observeGateway(observed, options);
gateway.publish(world.tick()); // a span for the tick, with detect, interest and publish inside
stop();

// A world that no gateway publishes:
const alone: ObservedWorld = world;
const observer: WorldObserver = observeWorld(alone, options);
world.tick();
observer.ticked();
observer.stop();
console.log(world.tickCount); // 2
await gateway.drain();
