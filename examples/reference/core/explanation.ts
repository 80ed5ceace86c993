// Example of: Explanation, ExplanationRule
import { type Explanation, type ExplanationRule, World } from 'umwelt';

const world = new World({ interests: { default: { cap: 1 } } });
const player = world.add({ x: 0, y: 0, range: 50 });
const [near = 0, far = 0, away = 0] = world.addMany({ x: [10, 20, 90], y: [0, 0, 0] });
world.tick();

const why = (marker: number): Explanation => world.explain(player, marker);
const rules: ExplanationRule[] = [near, far, away].map((marker) => why(marker).rule);
console.log(rules.join(', ')); // senses, cap, range
console.log(why(far).place, why(far).seats); // 2 1
console.log(why(away).sentence); // not related: out of reach: distance 90, reach 50
