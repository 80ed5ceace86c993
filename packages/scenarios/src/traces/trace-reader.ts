/**
 * Reads a trace, from a file or any stream of bytes, without ever holding the whole of it.
 *
 * Samples come in batches, at most one per 64 KiB of text: the next piece is asked for when the last batch has been
 * taken, so a slow taker slows the reading down, and memory does not depend on the length of the trace. A file
 * whose name ends in `.gz` is unpacked on the way.
 *
 * Cost: some hundred nanoseconds a line. What is wrong with the file or a line in it is an `UmweltError` `BAD_TRACE`;
 * the samples of the lines before it have been handed out by then.
 */
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UmweltError } from 'umwelt';
import { TraceParser, type TraceSample } from './trace-parser.ts';

export type { TraceSample };

/** Samples of successive lines, in the order of the file; at least one. The taker's to keep. */
export interface TraceBatch {
  readonly dimensions: 2 | 3;
  readonly samples: readonly TraceSample[];
}

/** A trace's text, UTF-8, not packed, in pieces of any size. */
export type TraceBytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Text taken at a time, in bytes: bounds a batch when a piece is large. */
const PIECE_BYTES = 65_536;

/** What the system says about files, for people. */
const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'it is a folder',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

/**
 * The samples of a trace, from the file at a path or from bytes. Errors carry the number of the line in `details.index`;
 * a file that cannot be read at all has none, and `details.field` is 'path'.
 */
export async function* readTrace(source: string | TraceBytes): AsyncGenerator<TraceBatch, void, undefined> {
  const isPath = typeof source === 'string';
  const parser = new TraceParser(isPath ? basename(source) : 'trace');
  const pieces = isPath ? filePieces(source, parser) : source;
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PIECE_BYTES) {
      const part = piece.subarray(from, from + PIECE_BYTES);
      yield* parsed(parser, (samples) => parser.push(part, samples));
    }
  }
  yield* parsed(parser, (samples) => parser.end(samples));
}

/** What one call of the parser gives; also when it throws, so that every good line before a bad one is seen. */
function* parsed(parser: TraceParser, parse: (samples: TraceSample[]) => void): Generator<TraceBatch> {
  const samples: TraceSample[] = [];
  let fault: unknown;
  try {
    parse(samples);
  } catch (error) {
    fault = error;
  }
  if (samples.length > 0) yield { dimensions: parser.dimensions === 3 ? 3 : 2, samples };
  if (fault !== undefined) throw fault;
}

/** The file's bytes, unpacked. Its faults become those of the trace, at the line that was reached. */
async function* filePieces(path: string, parser: TraceParser): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path);
  // The pipeline ends both streams when either fails or the reader stops; the error comes out of the loop below.
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
  if (code?.startsWith('Z_')) return parser.fault(parser.line + 1, 'the gzip file is damaged, or is none');
  if (code === undefined) return error;
  const reason = FILE_FAULTS[code] ?? code;
  return new UmweltError('BAD_TRACE', `cannot read ${path}: ${reason}`, { field: 'path', value: path });
}
