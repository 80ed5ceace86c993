// npm run example -- 01-hello: a world with two entities, and what one perceives of the other in each tick
import { World } from 'umwelt';

const world = new World();
const owl = world.add({ x: 0, y: 0, range: 30 }); // perceives markers up to 30 away
const mouse = world.add({ x: 50, y: 0 }); // can be perceived, but perceives nothing

for (let tick = 1; tick <= 8; tick++) {
  world.move(mouse, 50 - 10 * tick, 8);
  const view = world.tick().of(owl); // undefined: no changes for it
  const said = [];
  if (view?.entered.includes(mouse)) said.push('enters');
  if (view?.updated.includes(mouse)) said.push('moves');
  if (view?.left.includes(mouse)) said.push('leaves');
  const [x, y] = world.position(mouse);
  console.log(`tick ${tick}: the mouse at ${x}, ${y} ${said.join(', ') || 'goes unnoticed'}`);
}

console.log(world.explain(owl, mouse).sentence);
