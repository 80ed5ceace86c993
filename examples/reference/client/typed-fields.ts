// Example of: AppearanceShape, FieldsOf, FieldShape, FieldType, FieldValue, Field, AppearanceError
import {
  AppearanceError,
  type AppearanceShape,
  type Field,
  type FieldShape,
  type FieldsOf,
  type FieldType,
  type FieldValue,
  UmweltClient,
} from '@umwelt/client';

// Declared once, in a file that server and page import: new Gateway(world, { appearance, ... }) has it, too.
const whole: FieldType = 'uint';
const gold = { type: whole, audience: 'owner' } as const satisfies FieldShape;
const appearance = {
  positionStep: 0.01,
  fields: { name: { type: 'string' }, health: { type: whole }, gold },
} as const satisfies AppearanceShape;

/** Gold is optional: only its owner receives it. */
function label({ name, health, gold: coins }: FieldsOf<typeof appearance>): string {
  return `${name}, ${health} health${coins === undefined ? '' : `, ${coins} gold`}`;
}
console.log(label({ name: 'Ada', health: 80 })); // Ada, 80 health

// If the server has other fields, the client closes for good and says which field differs.
const client = new UmweltClient({
  url: 'wss://play.example/',
  appearance,
  onError(error) {
    if (error instanceof AppearanceError) console.error(error.message);
  },
});
client.on('enter', ({ fields }) => console.log(label(fields)));
client.on('frame', () => {
  // What the server declared, for programs that show any fields.
  const declared: readonly Field[] = client.welcome?.fields ?? [];
  const values: FieldValue[] = declared.map(({ name }) => Object(client.own?.fields)[name]);
  console.log(values.length);
});
console.log(client.state); // closed
