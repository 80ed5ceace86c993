/** The messages of a server other than frames: welcome and pong. */
import { ByteWriter } from './byte-writer.ts';
import { FORMAT_VERSION, PONG, WELCOME } from './frame-format.ts';

export interface WelcomeFacts {
  /** Version that the client speaks; the newest unless given. */
  readonly version?: number;
  /** Whether the session of the given token was resumed. */
  readonly resumed: boolean;
  readonly token: Uint8Array;
  readonly worldId: Uint8Array;
  readonly tickMs: number;
  /** Inputs beyond this rate are dropped. */
  readonly inputsPerSecond: number;
  readonly positionStep: number;
  readonly dimensions: number;
  readonly senses: readonly string[];
  readonly fields: readonly { readonly name: string; readonly typeNumber: number }[];
}

export function writeWelcome(facts: WelcomeFacts): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.byte(WELCOME);
  writer.byte(facts.version ?? FORMAT_VERSION);
  writer.byte(facts.resumed ? 1 : 0);
  writer.append(facts.token);
  writer.append(facts.worldId);
  writer.float64(facts.tickMs);
  writer.float64(facts.positionStep);
  writer.byte(facts.dimensions);
  writer.byte(facts.senses.length);
  for (const sense of facts.senses) writer.text(sense);
  writer.byte(facts.fields.length);
  for (const { name, typeNumber } of facts.fields) {
    writer.byte(typeNumber);
    writer.text(name);
  }
  writer.float64(facts.inputsPerSecond);
  return writer.toBytes();
}

export function writePong(number: number): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter(6);
  writer.byte(PONG);
  writer.varint(number);
  return writer.toBytes();
}
