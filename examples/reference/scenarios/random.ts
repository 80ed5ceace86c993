// Example of: Random
import { Random } from '@umwelt/scenarios';

// The same seed gives the same numbers on every runtime.
const random = new Random(7);
const again = new Random(7);
console.log(random.next() === again.next(), random.unit() === again.unit()); // true true

const point = new Float64Array(2);
random.inDiscInto(point);
console.log(Math.hypot(point[0]!, point[1]!) <= 1); // true
console.log(random.below(6) < 6, random.between(10, 20) >= 10); // true true
