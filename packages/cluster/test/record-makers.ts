/** Records as tests need them: a member's, and what a log would hold. */
import { ByteWriter } from 'umwelt/bytes';
import {
  ITEMS,
  type ItemOf,
  type ListName,
  type Moves,
  writeMoves,
  writeSection,
} from '../src/records/calls.ts';
import { FIRST_FORMAT } from '../src/records/formats.ts';
import {
  type Anew,
  type Hello,
  NOBODY,
  type Speaker,
  writeAnew,
  writeHello,
  writeNoted,
  writeRecord,
  writeU48,
} from '../src/records/record.ts';
import { STEPS_FORMAT } from '../src/records/steps.ts';
import { NOTHING_NOTED } from '../src/state/members.ts';

export type Items = { readonly [N in ListName]?: readonly ItemOf<N>[] } & { readonly moves?: Moves };

export function helloOf(hello: Partial<Hello> = {}): Hello {
  return {
    nonce: [1, 2],
    name: 'a',
    settings: [3, 4],
    adopts: true,
    formats: [1, 1],
    tickMs: 50,
    silenceTicks: 5,
    tick: 0,
    ...hello,
  };
}

export function helloRecord(hello: Partial<Hello> = {}): Uint8Array {
  return writeRecord('hello', NOBODY, (writer) => writeHello(writer, helloOf(hello)));
}

export function markRecord(speaker: Omit<Speaker, 'seq'>, tick: number): Uint8Array {
  return writeRecord('mark', { ...speaker, seq: 0 }, (writer) => {
    writer.u32(tick);
    writeNoted(writer, NOTHING_NOTED);
  });
}

/** In the first format steps can only be attachments. */
export function callsRecord(
  speaker: Speaker,
  items: Items,
  noted = NOTHING_NOTED,
  format = FIRST_FORMAT,
): Uint8Array {
  const write = (writer: ByteWriter) => {
    writeNoted(writer, noted);
    const { moves, ...lists } = items;
    writer.u32(Object.keys(items).length);
    if (moves !== undefined) {
      const body = new ByteWriter();
      writeMoves(body, moves);
      writeSection(writer, 'moves', body.bytes);
    }
    for (const name of Object.keys(ITEMS) as ListName[]) {
      const list = lists[name];
      if (list === undefined) continue;
      const body = new ByteWriter();
      body.u32(list.length);
      for (const item of list) {
        const bytes = new ByteWriter();
        ITEMS[name].write(bytes, item as never);
        body.elements(name === 'steps' && format < STEPS_FORMAT ? bytes.bytes.subarray(1) : bytes.bytes);
      }
      writeSection(writer, name, body.bytes);
    }
  };
  return writeRecord('calls', speaker, write, format);
}

export function goneRecord(member: number, incarnation: number): Uint8Array {
  return writeRecord('gone', NOBODY, (writer) => {
    writer.u16(member);
    writeU48(writer, incarnation);
  });
}

/** Of a writer that has read more than any log has. */
export function anewRecord(anew: Partial<Anew> = {}): Uint8Array {
  const whole: Anew = { nonce: [5, 6], position: 1, chain: [7, 8], seen: 2 ** 40, ...anew };
  return writeRecord('anew', NOBODY, (writer) => writeAnew(writer, whole));
}
