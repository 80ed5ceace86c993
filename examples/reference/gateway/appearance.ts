// Example of: AppearanceOptions, FieldDeclaration, FieldType, FieldValue, Audience, BandDeclaration, ValuesOf
import {
  type AppearanceOptions,
  type Audience,
  type BandDeclaration,
  type FieldDeclaration,
  type FieldType,
  type FieldValue,
  Gateway,
  type ValuesOf,
} from '@umwelt/gateway';
import { World } from 'umwelt';

const whole: FieldType = 'uint';
const close: BandDeclaration = { distance: 15, everyTicks: 4 };
const onlyClose: Audience = 'close';
const emote: FieldDeclaration = { type: 'string', max: 32, audience: onlyClose };
const appearance = {
  positionStep: 0.01,
  bands: { close },
  fields: {
    health: { type: whole },
    gold: { type: 'uint', audience: 'owner' },
    step: { type: 'bool', sense: 'hearing' },
    emote,
  },
} as const satisfies AppearanceOptions;

const world = new World({ senses: ['sight', 'hearing'] });
const gateway = new Gateway(world, { tickMs: 50, appearance, authenticate: () => undefined });
const player = world.add({ x: 0, y: 0, range: 30 });

// The compiler knows names and types: { health: 'full' } or { wealth: 3 } do not compile.
const values: Partial<ValuesOf<typeof appearance>> = { health: 80, gold: 3 };
gateway.set(player, values);
const health: FieldValue = gateway.get(player, 'health');
console.log(health, gateway.get(player, 'emote') === ''); // 80 true

try {
  gateway.set(player, { health: -1 });
} catch (error) {
  console.log((error as { code?: string }).code); // BAD_OPTION
}
await gateway.drain();
