/** The fields that clients get of an entity, declared once for server and page: `entity.fields` has these names and types. */
import type { AppearanceOptions } from '@umwelt/gateway';

export const appearance = {
  positionStep: 0.01,
  // `max` counts bytes of UTF-8: a name of 32 characters has at most 96.
  fields: { kind: { type: 'string', max: 8 }, name: { type: 'string', max: 96 } },
} as const satisfies AppearanceOptions;
