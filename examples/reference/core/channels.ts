// Example of: Channels, ChannelOptions, ChooseFunction
import { type ChannelOptions, Channels, type ChooseFunction, World } from 'umwelt';

const world = new World();
const options: ChannelOptions = { target: 2, tolerance: 0.5 };
const channels = new Channels(world, options);
const crowd = world.addMany({ x: [0, 1, 2, 3, 4, 5], y: [0, 0, 0, 0, 0, 0], range: 50 });
for (const id of crowd) channels.join(id);
channels.balance();
world.tick();
// Six entities in one place, and each sees only those of its own copy.
console.log(channels.size, channels.channelCount >= 2); // 6 true
console.log(world.visibleTo(crowd[0]!).length < 5); // true
channels.dispose();

// A rule of your own: all in the first copy, whatever the crowd calls for.
const first: ChooseFunction = (_id, counts) => Math.min(1, counts.length);
const own = new Channels(new World(), { ...options, choose: first });
console.log(own.channelCount); // 1
