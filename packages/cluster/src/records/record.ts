/**
 * The records of a cluster's log as bytes, writer beside reader. Little-endian.
 *
 *   | format u8 | kind u8 | member u16 | incarnation u48 | seq u32 | 0 u16 | body ... |       16 bytes, then the body
 *
 *   hello   nonce, name, settings, adopts, formats, tickMs, silenceTicks, tick     member, incarnation, seq are 0
 *   calls   noted tick, digest, how many sections, sections: see calls.ts
 *   mark    tick, noted tick, digest
 *   bye     nothing
 *   gone    member, incarnation                                                    seq is 0
 *   anew    nonce, position, chain, seen: see docs/internals/cluster.md            seq is 0
 *
 * Bytes may come from anywhere. `readRecord` reads a whole record before any part of it is applied, so all replicas refuse a
 * damaged record alike. Cost of reading: columns of moves are views of the bytes; they are copied once if they are not
 * aligned to four bytes.
 */
import { UmweltError } from 'umwelt';
import { ByteReader, ByteWriter } from 'umwelt/bytes';
import { type Calls, readCalls } from './calls.ts';
import { canRead, FIRST_FORMAT, FORMATS, type Formats, formatsText } from './formats.ts';

export const HEADER_BYTES = 16;
/** Larger records are refused. */
export const RECORD_BYTES_MAX = 512 * 1024;
export const NAME_LENGTH_MAX = 64;
const KINDS = ['hello', 'calls', 'mark', 'bye', 'gone', 'anew'] as const;
/** Kinds whose records are of the first format for ever. */
const OF_NOBODY: readonly RecordBody['kind'][] = ['hello', 'gone', 'anew'];

/** Whether no member writes such a record: also those write it that are none yet, or any more. */
export function isOfNobody({ kind }: RecordBody): boolean {
  return OF_NOBODY.includes(kind);
}

/** 64 bits, the low word first. */
export type Word64 = readonly [low: number, high: number];

/** The sender: a member's number, its incarnation, and the sequence number of this record. */
export interface Speaker {
  readonly member: number;
  readonly incarnation: number;
  readonly seq: number;
}

/** A state's digest as of a tick. Tick 0: no digest yet, but the nonce of the world's first hello. */
export interface Noted {
  readonly tick: number;
  readonly digest: Word64;
}

export interface Hello {
  /** Distinguishes one record written twice from two records. */
  readonly nonce: Word64;
  readonly name: string;
  readonly settings: Word64;
  readonly adopts: boolean;
  readonly formats: Formats;
  /** These apply when the world has no member yet. */
  readonly tickMs: number;
  readonly silenceTicks: number;
  /** The newest tick that the writer knew. */
  readonly tick: number;
}

export interface Anew {
  readonly nonce: Word64;
  /** Position of the writer's state; it may be beyond the present end of the log. */
  readonly position: number;
  readonly chain: Word64;
  /** The writer has read the log up to this position, and found no other 'anew' record. */
  readonly seen: number;
}

export type RecordBody =
  | { readonly kind: 'hello'; readonly hello: Hello }
  | { readonly kind: 'calls'; readonly noted: Noted; readonly calls: Calls }
  | { readonly kind: 'mark'; readonly tick: number; readonly noted: Noted }
  | { readonly kind: 'bye' }
  | { readonly kind: 'gone'; readonly member: number; readonly incarnation: number }
  | { readonly kind: 'anew'; readonly anew: Anew };

export type ClusterRecord = Speaker & { readonly format: number } & RecordBody;

export const NOBODY: Speaker = { member: 0, incarnation: 0, seq: 0 };

/**
 * Writes a header, then what `writeBody` writes. The caller owns the bytes. `format`: for a member's record, that of the world.
 * Throws `TOO_MUCH` beyond 512 KiB.
 */
export function writeRecord(
  kind: RecordBody['kind'],
  speaker: Speaker,
  writeBody: (writer: ByteWriter) => void,
  format = FIRST_FORMAT,
): Uint8Array {
  const writer = new ByteWriter(256);
  writer.u8(format);
  writer.u8(KINDS.indexOf(kind));
  writer.u16(speaker.member);
  writeU48(writer, speaker.incarnation);
  writer.u32(speaker.seq);
  writer.u16(0);
  writeBody(writer);
  if (writer.length > RECORD_BYTES_MAX) {
    throw new UmweltError(
      'TOO_MUCH',
      `a record of ${writer.length} bytes was to be written, expected at most ${RECORD_BYTES_MAX}`,
      { value: writer.length },
    );
  }
  return writer.bytes.slice();
}

/** Throws `BAD_RECORD` for bytes that are no record of these formats, and never anything else. */
export function readRecord(bytes: Uint8Array, formats = FORMATS): ClusterRecord {
  const isAligned = bytes.byteOffset % 4 === 0;
  const reader: ByteReader = new ByteReader(isAligned ? bytes : bytes.slice(), 'BAD_RECORD');
  reader.check(bytes.length <= RECORD_BYTES_MAX, `at most ${RECORD_BYTES_MAX} bytes, not ${bytes.length}`);
  const format = reader.u8();
  const kind = KINDS[reader.u8()];
  reader.check(kind !== undefined, 'a kind of record that there is');
  const read: Formats = OF_NOBODY.includes(kind) ? [FIRST_FORMAT, FIRST_FORMAT] : formats;
  reader.check(canRead(read, format), `a format of ${formatsText(read)}, not ${format}`);
  const speaker = { member: reader.u16(), incarnation: readU48(reader), seq: reader.u32() };
  reader.check(reader.u16() === 0, '0');
  const body = readBody(reader, kind, format);
  reader.finish();
  return { ...speaker, format, ...body };
}

/** How many formats from now on are known as such: text and noise are not taken for one. */
const LATER_FORMATS = 16;

/**
 * The format of bytes that look like a member's record of another version of this package; `undefined` for all others, and for what
 * looks like a hello, gone or anew: those are of the first format for ever, so no version has written it.
 */
export function unreadFormatOf(bytes: Uint8Array, formats = FORMATS): number | undefined {
  const [format = 0, kind = 0] = bytes;
  if (canRead(formats, format) || format === 0 || format > formats[1] + LATER_FORMATS) return undefined;
  const named = KINDS[kind];
  if (named !== undefined && OF_NOBODY.includes(named)) return undefined;
  const isHeader =
    bytes.length >= HEADER_BYTES && kind < 2 * KINDS.length && bytes[14] === 0 && bytes[15] === 0;
  return isHeader ? format : undefined;
}

function readBody(reader: ByteReader, kind: RecordBody['kind'], format: number): RecordBody {
  switch (kind) {
    case 'hello':
      return { kind, hello: readHello(reader) };
    case 'calls':
      return { kind, noted: readNoted(reader), calls: readCalls(reader, format) };
    case 'mark':
      return { kind, tick: reader.u32(), noted: readNoted(reader) };
    case 'bye':
      return { kind };
    case 'gone':
      return { kind, member: reader.u16(), incarnation: readU48(reader) };
    case 'anew':
      return { kind, anew: readAnew(reader) };
  }
}

export function writeHello(writer: ByteWriter, hello: Hello): void {
  writeWord64(writer, hello.nonce);
  writer.text(hello.name);
  writeWord64(writer, hello.settings);
  writer.flag(hello.adopts);
  writer.u8(hello.formats[0]);
  writer.u8(hello.formats[1]);
  writer.f64(hello.tickMs);
  writer.u32(hello.silenceTicks);
  writer.u32(hello.tick);
}

function readHello(reader: ByteReader): Hello {
  const hello: Hello = {
    nonce: readWord64(reader),
    name: reader.text(),
    settings: readWord64(reader),
    adopts: reader.flag(),
    formats: [reader.u8(), reader.u8()],
    tickMs: reader.f64(),
    silenceTicks: reader.u32(),
    tick: reader.u32(),
  };
  reader.check(
    hello.name !== '' && hello.name.length <= NAME_LENGTH_MAX,
    `a name of 1 to ${NAME_LENGTH_MAX} letters`,
  );
  const [oldest, newest] = hello.formats;
  reader.check(oldest >= FIRST_FORMAT && oldest <= newest, 'formats, the oldest first');
  checkPace(reader, hello);
  return hello;
}

/** Of all that a hello or a state says, a node's timers depend on this: others could keep it from ever doing anything else. */
export function checkPace(
  reader: ByteReader,
  { tickMs, silenceTicks }: Pick<Hello, 'tickMs' | 'silenceTicks'>,
): void {
  reader.check(tickMs >= 1 && tickMs <= 60_000, 'ticks of 1 to 60,000 ms');
  reader.check(silenceTicks >= 1, 'a silence of 1 tick or more');
}

export function writeAnew(writer: ByteWriter, anew: Anew): void {
  writeWord64(writer, anew.nonce);
  writeU48(writer, anew.position);
  writeWord64(writer, anew.chain);
  writeU48(writer, anew.seen);
}

function readAnew(reader: ByteReader): Anew {
  return {
    nonce: readWord64(reader),
    position: readU48(reader),
    chain: readWord64(reader),
    seen: readU48(reader),
  };
}

export function writeNoted(writer: ByteWriter, { tick, digest }: Noted): void {
  writer.u32(tick);
  writeWord64(writer, digest);
}

export function readNoted(reader: ByteReader): Noted {
  return { tick: reader.u32(), digest: readWord64(reader) };
}

export function writeU48(writer: ByteWriter, value: number): void {
  writer.u32(value % 2 ** 32);
  writer.u16(Math.floor(value / 2 ** 32));
}

export function readU48(reader: ByteReader): number {
  return reader.u32() + reader.u16() * 2 ** 32;
}

export function writeWord64(writer: ByteWriter, [low, high]: Word64): void {
  writer.u32(low);
  writer.u32(high);
}

export function readWord64(reader: ByteReader): Word64 {
  return [reader.u32(), reader.u32()];
}

export function isSameWord([low, high]: Word64, other: Word64): boolean {
  return low === other[0] && high === other[1];
}
