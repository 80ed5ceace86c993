/**
 * Steps: the calls of a record whose order among each other matters, in the order in which they were made. Attachments, and what is
 * called for entities of the same family after one: which place a detached child keeps depends on what was moved before.
 *
 *   | kind u8 | entity u32 | attach: parent u32, offset 3 x f64; move, teleport: place 3 x f32; remove: nothing |
 *
 * Format 1 has no steps, but a section of attachments, after the moves and the removals: see `countInSections`.
 */
import type { EntityId } from 'umwelt';
import { ByteReader, type ByteWriter } from 'umwelt/bytes';

export interface AttachStep {
  readonly step: 'attach';
  readonly id: EntityId;
  /** 0 to detach it. */
  readonly parent: EntityId;
  /** The offset. */
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export interface MoveStep {
  readonly step: 'move' | 'teleport';
  readonly id: EntityId;
  readonly x: number;
  readonly y: number;
  /** 0 in 2-D. */
  readonly z: number;
}

export interface RemoveStep {
  readonly step: 'remove';
  readonly id: EntityId;
}

export type Step = AttachStep | MoveStep | RemoveStep;

/** The first format with steps. */
export const STEPS_FORMAT = 2;

const DAMAGED = 'BAD_RECORD';
const KINDS = ['attach', 'move', 'teleport', 'remove'] as const;
/** Of each kind: its section's place in the order of a record of format 1. */
const PHASES = [2, 0, 0, 1];

export function writeStep(writer: ByteWriter, step: Step): void {
  writer.u8(KINDS.indexOf(step.step));
  writer.u32(step.id);
  if (step.step === 'attach') {
    writer.u32(step.parent);
    for (const part of [step.x, step.y, step.z]) writer.f64(part);
  } else if (step.step !== 'remove') for (const part of [step.x, step.y, step.z]) writer.f32(part);
}

export function readStep(reader: ByteReader): Step {
  const step = KINDS[reader.u8()];
  reader.check(step !== undefined, 'a kind of step');
  if (step === 'attach') return readAttachment(reader);
  const id = reader.u32();
  if (step === 'remove') return { step, id };
  return { step, id, x: reader.f32(), y: reader.f32(), z: reader.f32() };
}

/** As format 1 has it. */
export function readAttachment(reader: ByteReader): AttachStep {
  const [id, parent] = [reader.u32(), reader.u32()];
  return { step: 'attach', id, parent, x: reader.f64(), y: reader.f64(), z: reader.f64() };
}

/** One that `writeStep` wrote in this process, so the code of damaged bytes is never thrown. */
export function stepOf(bytes: Uint8Array): Step {
  return readStep(new ByteReader(bytes, DAMAGED));
}

/** How many of the first ones keep their order in a record of format 1: there moves come first, then removals, then attachments. */
export function countInSections(steps: readonly Uint8Array[]): number {
  let phase = 0;
  const end = steps.findIndex(([kind]) => {
    const isBack = PHASES[kind] < phase;
    phase = PHASES[kind];
    return isBack;
  });
  return end < 0 ? steps.length : end;
}
