// Example of: createScenario, AnyScenarioOptions, ScenarioName, scenarioNames, scenarioDescriptions
import {
  type AnyScenarioOptions,
  createScenario,
  type ScenarioName,
  scenarioDescriptions,
  scenarioNames,
} from '@umwelt/scenarios';

const name: ScenarioName = 'raid';
console.log(scenarioNames.includes(name), scenarioDescriptions[name] !== ''); // true true

// By name, as a command line has it. An option that the scenario does not have is an error.
const options: AnyScenarioOptions = { entities: 200, seed: 3, cap: 20 };
const raid = createScenario(name, options);
raid.step();
console.log(raid.count, raid.worldOptions.interests !== undefined); // 200 true
try {
  createScenario('walkers', { cap: 20 });
} catch (error) {
  console.log((error as { code?: string }).code); // BAD_OPTION
}
