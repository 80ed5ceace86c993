/** The fields that clients get of an entity, declared once for server and page: `entity.fields` has these names and types. */
import type { AppearanceOptions } from '@umwelt/gateway';

export const appearance = {
  positionStep: 0.01,
  fields: { kind: { type: 'string', max: 8 }, name: { type: 'string', max: 32 } },
} as const satisfies AppearanceOptions;
