/** The public names of `@umwelt/gateway`, and nothing else. */
export { AppearanceColumns } from './appearance/appearance-columns.ts';
export { RecordCache } from './appearance/record-cache.ts';
export {
  type AppearanceOptions,
  type Audience,
  type Field,
  type FieldDeclaration,
  type FieldType,
  type FieldValue,
  readSchema,
  type Schema,
} from './appearance/schema.ts';
export { ByteBudget } from './views/byte-budget.ts';
export { ClientView } from './views/client-view.ts';
export { type FrameOutcome, FrameWriter } from './views/frame-writer.ts';
export { ViewIntake } from './views/view-intake.ts';
