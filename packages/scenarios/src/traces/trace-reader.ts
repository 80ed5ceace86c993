/**
 * Reads a trace, from a file or any stream of bytes, without ever holding the whole of it.
 *
 * Samples come in batches, at most one per 64 KiB of text: the next piece is read when the last batch has been consumed, so a slow
 * consumer slows the reading down, and memory does not depend on the length of the trace. A file whose name ends in `.gz` is
 * unpacked on the way.
 *
 * Cost: some hundred nanoseconds per line. An invalid file or line is an `UmweltError` `BAD_TRACE`; the samples of the lines before
 * it have been delivered by then.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UmweltError } from 'umwelt';
import { checkNames, told } from '../option-check.ts';
import { Disorder, mendingCommand } from './disorder.ts';
import { checkColumns } from './trace-layout.ts';
import { TraceParser, type TraceSample } from './trace-parser.ts';

export type { TraceSample };

/** Samples of successive lines, in the order of the file; at least one. The receiver may keep it. */
export interface TraceBatch {
  /** 3 if there is a column z. */
  readonly dimensions: 2 | 3;
  /** In the order of the file. */
  readonly samples: readonly TraceSample[];
}

/** A trace's text, UTF-8, uncompressed, in pieces of any size. */
export type TraceBytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Options of `readTrace`. */
export interface TraceReadOptions {
  /**
   * The file's columns in order, '-' for one to skip: ['id', 't', '-', 'x', 'y']; or the header's names, or numbers from 1, of the
   * columns t, id, x, y and, in 3-D, z: ['frame', 'person', 'px', 'py']. If the header contains the names of the first form, the
   * header's order is used. Absent: the header is t,id,x,y or t,id,x,y,z.
   */
  columns?: readonly string[] | undefined;
}

/** Bytes of text processed at a time: limits a batch if a piece is large. */
const PIECE_BYTES = 65_536;

/** The system's error codes in words. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/**
 * Yields the samples of a trace, from the file at a path or from bytes. Throws `BAD_OPTION`, and `BAD_TRACE` for an invalid
 * file. Errors have the line number in `details.index`. For a file that cannot be read at all there is none, and
 * `details.field` is 'path'. If lines are not ordered by time, or samples are duplicated, the whole file is read again and the
 * error says how many such lines there are, and which command fixes them.
 */
export async function* readTrace(
  source: string | TraceBytes,
  options: TraceReadOptions = {},
): AsyncGenerator<TraceBatch, void, undefined> {
  checkNames('a trace', options, ['columns']);
  checkSource(source);
  const { columns } = options;
  if (columns !== undefined) checkColumns(columns);
  const isPath = typeof source === 'string';
  const parser = new TraceParser(isPath ? basename(source) : 'trace', { columns });
  const pieces = isPath ? filePieces(source, parser) : source;
  try {
    for await (const piece of pieces) {
      checkPiece(piece);
      for (let from = 0; from < piece.length; from += PIECE_BYTES) {
        const part = piece.subarray(from, from + PIECE_BYTES);
        yield* parsed(parser, (samples) => parser.push(part, samples));
      }
    }
    yield* parsed(parser, (samples) => parser.end(samples));
  } catch (error) {
    if (!isPath || !parser.isDisordered || !(error instanceof UmweltError)) throw error;
    throw await disorderFault(source, columns, error);
  }
}

function checkSource(source: unknown): void {
  if (typeof source === 'string') return;
  const isIterable =
    typeof source === 'object' &&
    source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (isIterable && !ArrayBuffer.isView(source)) return;
  const given = isIterable ? 'bytes' : told(source);
  const expected = 'a path, or an iterable of pieces of bytes such as [bytes]';
  throw new UmweltError('BAD_OPTION', `a trace: source is ${given}; expected ${expected}`, {
    field: 'source',
    value: source,
  });
}

/** A stream with an encoding yields text. */
function checkPiece(piece: unknown): void {
  if (piece instanceof Uint8Array) return;
  const given = typeof piece === 'string' ? 'text' : told(piece);
  const message = `a trace: a piece of source is ${given}; expected a Uint8Array of bytes`;
  throw new UmweltError('BAD_OPTION', message, { field: 'source', value: piece });
}

/** The error for a file's first line out of order, with the number of such lines. */
async function disorderFault(
  path: string,
  columns: readonly string[] | undefined,
  first: UmweltError,
): Promise<UmweltError> {
  const disorder = new Disorder();
  const parser = new TraceParser(basename(path), { columns, disorder });
  let isWhole = true;
  try {
    for await (const piece of filePieces(path, parser)) parser.push(piece, []);
    parser.end([]);
  } catch {
    // A further error, which is reported once this one is fixed.
    isWhole = false;
  }
  const command = mendingCommand(path, parser.layout!, disorder);
  const counts = isWhole ? disorder.counts : `${disorder.counts} up to line ${parser.line}`;
  return new UmweltError('BAD_TRACE', `${first.message} (${counts}). To mend it: ${command}`, first.details);
}

/** Yields the result of one parser call; also if it throws, so that all valid lines before an invalid one are delivered. */
function* parsed(parser: TraceParser, parse: (samples: TraceSample[]) => void): Generator<TraceBatch> {
  const samples: TraceSample[] = [];
  let fault: unknown;
  try {
    parse(samples);
  } catch (error) {
    fault = error;
  }
  if (samples.length > 0) yield { dimensions: parser.layout!.dimensions, samples };
  if (fault !== undefined) throw fault;
}

/** The file's bytes, unpacked. Its errors become those of the trace, at the line that was reached. */
async function* filePieces(path: string, parser: TraceParser): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  // The pipeline ends both streams if either fails or the reader stops; the error comes out of the loop below.
  const bytes = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
  try {
    for await (const piece of bytes) yield piece as Uint8Array;
  } catch (error) {
    throw fileFault(path, parser, error);
  }
}

function fileFault(path: string, parser: TraceParser, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'Z_BUF_ERROR') return parser.fault(parser.line + 1, 'the gzip file is cut short');
  if (code?.startsWith('Z_'))
    return parser.fault(parser.line + 1, 'the gzip file is damaged, or it is no gzip file');
  if (code === undefined) return error;
  const reason = FILE_FAULTS[code] ?? code;
  return new UmweltError('BAD_TRACE', `cannot read ${path}: ${reason}`, { field: 'path', value: path });
}
