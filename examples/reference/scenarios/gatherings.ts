// Example of: createFestival, FestivalOptions, createPileUp, PileUpOptions, createRaid, RaidOptions, createChoke, ChokeOptions
import {
  type ChokeOptions,
  createChoke,
  createFestival,
  createPileUp,
  createRaid,
  type FestivalOptions,
  type PileUpOptions,
  type RaidOptions,
  type Simulation,
} from '@umwelt/scenarios';

const festival: FestivalOptions = { entities: 300, target: 50, daySeconds: 60 };
const pileUp: PileUpOptions = { entities: 300, radius: 5, gathered: 0.5 };
const raid: RaidOptions = { entities: 300, cap: 20, steady: 1 };
const choke: ChokeOptions = { entities: 300, flow: 4, insideSeconds: 10 };

const all: Simulation[] = [
  createFestival(festival),
  createPileUp(pileUp),
  createRaid(raid),
  createChoke(choke),
];
for (const simulation of all) for (let step = 0; step < 5; step++) simulation.step();
console.log(all.every(({ done }) => !done)); // true
console.log(all[0]!.channels?.target, all[2]!.worldOptions.interests !== undefined); // 50 true
