// Example of: Interest, RankFunction, AdmitFunction, Outranked
import { type AdmitFunction, type Interest, type Outranked, type RankFunction, World } from 'umwelt';

const world = new World();
const isHurt = new Set<number>();

// The smallest rank comes first: hurt markers before all others, and then the nearest.
const rank: RankFunction = (_watcher, marker, distance) => distance - (isHurt.has(marker) ? 1000 : 0);
const admit: AdmitFunction = (_watcher, _marker, distanceSquared) => distanceSquared > 0;
const healers: Interest = { cap: 2, rank, admit, leaveMargin: 5, minDwellTicks: 10 };
world.setInterest('healers', healers);

const healer = world.add({ x: 0, y: 0, range: 50, interest: 'healers' });
const [near = 0, middle = 0, far = 0] = world.addMany({ x: [5, 10, 40], y: [0, 0, 0] });
isHurt.add(far);
world.tick();
console.log(world.related(healer, near), world.related(healer, far)); // true true

const cut: Outranked = world.outranked(healer);
console.log(cut.total, cut.ids[0] === middle, cut.places[0]); // 1 true 3
