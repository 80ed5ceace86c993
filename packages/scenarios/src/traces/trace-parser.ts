/**
 * Parses the text of a trace into samples, piece by piece.
 *
 * A trace is CSV: a header `t,id,x,y` or `t,id,x,y,z`, then one sample per line, ordered by t: seconds, an id (a number or any
 * other text without a delimiter, compared as text), and a position in world units. The delimiter is that of the first line,
 * and the user may name the columns (`trace-layout.ts`). Lines end in \n or \r\n; the last line needs no end. The text is UTF-8,
 * and nothing is quoted, unless the user gave the columns.
 *
 * The file is untrusted: an invalid line is an `UmweltError` `BAD_TRACE` with the line's number, and so is a line of more than
 * 4,096 characters. Between two pieces it holds one unfinished line and the ids of one moment, whatever the length of the trace.
 */
import { UmweltError } from 'umwelt';
import type { Disorder } from './disorder.ts';
import { bareText, cutLine, EXPECTED_HEADER, isDecimal, layoutOf, type TraceLayout } from './trace-layout.ts';

/** The position of an entity at one moment. */
export interface TraceSample {
  /** Line number in the file; the header is line 1. */
  readonly line: number;
  /** Seconds, not less than in the line above. */
  readonly t: number;
  /** As written. */
  readonly id: string;
  /** World units. */
  readonly x: number;
  readonly y: number;
  /** 0 when the trace is 2-D. */
  readonly z: number;
}

/** Longest line, in UTF-16 units: rejects a file without line ends before it fills the memory. */
const LONGEST_LINE = 4096;
/** The engine's limit of positions, in world units. */
const FARTHEST = 1e12;
/** The decoder's replacement for bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD';

export interface TraceParserOptions {
  /** Columns as for `checkColumns`. Absent: the header must be one of the two accepted ones. */
  readonly columns?: readonly string[] | undefined;
  /** Counts errors in the order of lines, which are then not thrown. */
  readonly disorder?: Disorder | undefined;
}

export class TraceParser {
  readonly #name: string;
  readonly #decoder = new TextDecoder();
  /** The unfinished line at the end of the last piece. */
  #rest = '';
  #line = 0;
  #layout: TraceLayout | undefined;
  readonly #columns: readonly string[] | undefined;
  readonly #disorder: Disorder | undefined;
  #isDisordered = false;
  #time = Number.NEGATIVE_INFINITY;
  /** Ids with a sample at `#time`. */
  readonly #idsNow = new Set<string>();
  /** The first blank line that no other line has followed so far; 0: none. */
  #blankLine = 0;

  /** `name` starts the messages. */
  constructor(name: string, { columns, disorder }: TraceParserOptions = {}) {
    this.#name = name;
    this.#columns = columns;
    this.#disorder = disorder;
  }

  /** Layout of the trace; undefined before its first line has been read. */
  get layout(): TraceLayout | undefined {
    return this.#layout;
  }

  /** Whether the error that it threw is about the order of lines, not about a line itself. */
  get isDisordered(): boolean {
    return this.#isDisordered;
  }

  /** Lines finished so far. */
  get line(): number {
    return this.#line;
  }

  /** What it holds between two pieces: characters of an unfinished line, and ids of one moment. */
  get held(): { readonly characters: number; readonly ids: number } {
    return { characters: this.#rest.length, ids: this.#idsNow.size };
  }

  /** Adds the samples whose lines end in this piece to `out`. Samples added before an error stay. */
  push(piece: Uint8Array, out: TraceSample[]): void {
    this.#take(this.#decoder.decode(piece, { stream: true }), out);
  }

  /** Adds the sample of a last line without a line end. Call it once, after the last piece. */
  end(out: TraceSample[]): void {
    this.#take(this.#decoder.decode(), out);
    const last = this.#rest.endsWith('\r') ? this.#rest.slice(0, -1) : this.#rest;
    if (this.#rest !== '') this.#takeLine(last, out);
    this.#rest = '';
    if (this.#line === 0) throw this.fault(1, `is empty; expected ${EXPECTED_HEADER}`);
  }

  /** The error for a line. */
  fault(line: number, what: string): UmweltError {
    return new UmweltError('BAD_TRACE', `${this.#name}, line ${line}: ${what}`, { index: line });
  }

  #take(text: string, out: TraceSample[]): void {
    const all = this.#rest + text;
    // The header of the recording of a world: easily mistaken for a trace, since both are called recordings.
    if (this.#line === 0 && all.startsWith('umwr') && all[5] === '\0') {
      throw this.fault(
        1,
        `is that of a recorded world; expected ${EXPECTED_HEADER}. \`umwelt replay\` plays it`,
      );
    }
    let from = 0;
    for (;;) {
      const end = all.indexOf('\n', from);
      if (end < 0) break;
      const isReturn = end > from && all.charCodeAt(end - 1) === 13;
      this.#takeLine(all.slice(from, isReturn ? end - 1 : end), out);
      from = end + 1;
    }
    this.#rest = from === 0 ? all : all.slice(from);
    // One more, for the \r of a line that may end with the next piece.
    if (this.#rest.length > LONGEST_LINE + 1) this.#refuseLength(this.#line + 1);
  }

  #takeLine(text: string, out: TraceSample[]): void {
    const line = ++this.#line;
    if (text.length > LONGEST_LINE) this.#refuseLength(line);
    if (text.includes(REPLACEMENT)) throw this.fault(line, 'is not UTF-8 text');
    if (this.#layout === undefined) {
      this.#layout = this.#layoutFrom(line, text);
      if (!this.#layout.hasHeader) out.push(this.#takeSample(line, text, this.#layout));
    } else if (text === '') {
      // Blank lines at the end of a file are accepted; followed by a sample they are an error.
      if (this.#blankLine === 0) this.#blankLine = line;
    } else {
      if (this.#blankLine !== 0) throw this.fault(this.#blankLine, 'is blank');
      out.push(this.#takeSample(line, text, this.#layout));
    }
  }

  #layoutFrom(line: number, text: string): TraceLayout {
    const layout = layoutOf(text, this.#columns);
    if (typeof layout !== 'string') return layout;
    throw this.fault(line, `${layout}, found ${quoted(text)}`);
  }

  #takeSample(line: number, text: string, layout: TraceLayout): TraceSample {
    const { delimiter, columnCount, header, places, isLoose } = layout;
    const cells = cutLine(text, delimiter);
    if (cells.length !== columnCount) {
      const found = `found ${cells.length} in ${quoted(text)}`;
      throw this.fault(line, `expected ${columnCount} columns (${header}), ${found}`);
    }
    const cell = (role: number) => (isLoose ? bareText(cells[places[role]!]!) : cells[places[role]!]!);
    const t = this.#number(line, 't', cell(0));
    const id = cell(1);
    if (id === '') throw this.fault(line, 'the id is empty');
    const x = this.#coordinate(line, 'x', cell(2));
    const y = this.#coordinate(line, 'y', cell(3));
    const z = layout.dimensions === 3 ? this.#coordinate(line, 'z', cell(4)) : 0;
    if (this.#disorder === undefined) this.#passTime(line, t, id);
    else this.#disorder.take(t, id);
    return { line, t, id, x, y, z };
  }

  #number(line: number, column: string, text: string): number {
    if (!isDecimal(text)) {
      const hint = /^[+-]?\d+,\d+$/.test(text) ? ', with a point before its fraction' : '';
      throw this.fault(line, `${column} is ${quoted(text)}; expected a finite number${hint}`);
    }
    const number = Number(text);
    if (!Number.isFinite(number)) throw this.fault(line, `${column} is ${quoted(text)}, which is not finite`);
    return number;
  }

  #coordinate(line: number, column: string, text: string): number {
    const number = this.#number(line, column, text);
    if (Math.abs(number) <= FARTHEST) return number;
    throw this.fault(line, `${column} is ${quoted(text)}; positions go from -1e12 to 1e12`);
  }

  /** Times of different ids may be equal; time must never decrease. */
  #passTime(line: number, t: number, id: string): void {
    if (t < this.#time) {
      this.#isDisordered = true;
      throw this.fault(line, `time runs backwards: t is ${t} after ${this.#time}`);
    }
    if (t > this.#time) {
      this.#time = t;
      this.#idsNow.clear();
    } else if (this.#idsNow.has(id)) {
      this.#isDisordered = true;
      throw this.fault(line, `is a duplicate: ${quoted(id)} already has a sample at t = ${t}`);
    }
    this.#idsNow.add(id);
  }

  #refuseLength(line: number): never {
    throw this.fault(line, `is longer than ${LONGEST_LINE} characters`);
  }
}

/** Untrusted text for a message: on one line, and not too long. */
function quoted(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}...` : text;
  return `'${short.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')}'`;
}
