/**
 * How the lines of a trace are split, and which columns are t, id, x, y and z: found from its first line.
 *
 * The delimiter is the comma, semicolon, tab or bar that splits the first line into the most columns, or a run of spaces. Without
 * the `columns` option that line must be the header `t,id,x,y` or `t,id,x,y,z`, so that no file is misread. With the option it may
 * be any header, or already a sample, and there may be further columns, which are ignored.
 */
import { UmweltError } from 'umwelt';
import { told } from '../option-check.ts';

type Delimiter = ',' | ';' | '\t' | '|' | ' ';

export interface TraceLayout {
  readonly delimiter: Delimiter;
  readonly dimensions: 2 | 3;
  /** Columns of t, id, x, y and, in 3-D, z: indices from 0. */
  readonly places: readonly number[];
  /** Number of columns of every line. */
  readonly columnCount: number;
  /** For messages: 't,id,x,y', or another description of the columns. */
  readonly header: string;
  /** Whether the first line is a header. */
  readonly hasHeader: boolean;
  /** Whether values may be quoted or have spaces around them: if the user gave the columns. */
  readonly isLoose: boolean;
}

/** The delimiters. */
const DELIMITERS: readonly Delimiter[] = [',', ';', '\t', '|', ' '];
const ROLES = ['t', 'id', 'x', 'y', 'z'];
const HEADERS = [ROLES.slice(0, 4), ROLES];
/** In a list of columns: a column to skip. */
const SKIPPED = '-';
const MOST_COLUMNS = 1000;

/** Description of the accepted headers. */
export const EXPECTED_HEADER = 'the header t,id,x,y or t,id,x,y,z';

/** `Number` alone would take '', ' 1', '0x1f' and 'Infinity'. */
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** A line's columns. A run of spaces is one delimiter; spaces at the ends are ignored. */
export function cutLine(line: string, delimiter: Delimiter): string[] {
  return delimiter === ' ' ? line.trim().split(/ +/) : line.split(delimiter);
}

/**
 * Checks a list of columns before anything is read: 'id,t,-,x,y' are the file's columns in order, '-' one to skip;
 * 'frame,person,px,py' are the names, or the numbers from 1, of the columns t, id, x, y and, in 3-D, z.
 * @throws UmweltError `BAD_OPTION`
 */
export function checkColumns(columns: readonly string[]): void {
  // A caller without types may pass the text of the command line's --columns.
  if (!Array.isArray(columns) || columns.some((name) => typeof name !== 'string')) {
    const given = Array.isArray(columns) ? 'a list with something else' : told(columns);
    const message = `a trace: columns is ${given}; expected a list of names, ['t', 'id', 'x', 'y']`;
    throw new UmweltError('BAD_OPTION', message, { field: 'columns', value: columns });
  }
  const refuse = (what: string): never => {
    const message = `a trace: columns are '${columns.join(',')}': ${what}; expected t,id,x,y or t,id,x,y,z in the file's order, - for one to skip, or the names or numbers of the columns t,id,x,y or t,id,x,y,z`;
    throw new UmweltError('BAD_OPTION', message, { field: 'columns', value: columns.join(',') });
  };
  if (columns.length > MOST_COLUMNS) refuse(`there are more than ${MOST_COLUMNS}`);
  if (columns.includes('')) refuse('one has no name');
  const named = columns.filter((name) => name !== SKIPPED);
  const twice = named.find((name, i) => named.indexOf(name) !== i);
  if (twice !== undefined) refuse(`'${twice}' is there twice`);
  if (named.every((name) => ROLES.includes(name))) {
    const missing = ROLES.slice(0, 4).find((role) => !named.includes(role));
    if (missing !== undefined) refuse(`${missing} is missing`);
  } else if (named.length !== columns.length) {
    refuse(`- may skip a column only among ${ROLES.join(',')}`);
  } else if (columns.length !== 4 && columns.length !== 5) {
    refuse(`there are ${columns.length}`);
  }
}

/** The layout of the first line, or a description of what was expected instead. */
export function layoutOf(line: string, columns: readonly string[] | undefined): TraceLayout | string {
  if (columns === undefined) return usualLayout(line) ?? expectation(line);
  const delimiter = likelyDelimiter(line);
  const cells = cutLine(line, delimiter).map(bareText);
  const isOrder = columns.every((name) => name === SKIPPED || ROLES.includes(name));
  const places = isOrder ? placesInOrder(cells, columns) : placesByName(cells, columns);
  if (typeof places === 'string') return places;
  return {
    delimiter,
    dimensions: places.length === 5 ? 3 : 2,
    places,
    columnCount: cells.length,
    header: 'as in its first line',
    hasHeader: !isDecimal(cells[places[0] as number] as string),
    isLoose: true,
  };
}

function usualLayout(line: string): TraceLayout | undefined {
  for (const delimiter of DELIMITERS) {
    const text = cutLine(line, delimiter).join(',');
    const header = HEADERS.find((names) => names.join(',') === text);
    if (header === undefined) continue;
    const dimensions = header.length === 5 ? 3 : 2;
    return {
      delimiter,
      dimensions,
      places: [...header.keys()],
      columnCount: header.length,
      header: text,
      hasHeader: true,
      isLoose: false,
    };
  }
  return undefined;
}

/** The hint for a first line that is no accepted header: which option reads it, if it has the names. */
function expectation(line: string): string {
  const cells = cutLine(line, likelyDelimiter(line)).map(bareText);
  const hasAll = ROLES.slice(0, 4).every((role) => cells.filter((cell) => cell === role).length === 1);
  const order = cells.map((cell) => (ROLES.includes(cell) ? cell : SKIPPED)).join(',');
  const option = hasAll ? `--columns ${order}` : '--columns to name the columns';
  return `expected ${EXPECTED_HEADER}, or ${option}`;
}

/** The delimiter that gives the most columns, the first of equals; spaces only if no other gives four. */
function likelyDelimiter(line: string): Delimiter {
  let best: Delimiter = ',';
  let most = 1;
  for (const delimiter of DELIMITERS) {
    if (delimiter === ' ' && most >= 4) break;
    const count = cutLine(line, delimiter).length;
    if (count > most) [best, most] = [delimiter, count];
  }
  return best;
}

/** Without surrounding spaces and quotes. */
export function bareText(cell: string): string {
  return cell.trim().replace(/^"(.*)"$/, '$1');
}

function placesInOrder(cells: readonly string[], columns: readonly string[]): number[] | string {
  const roles = ROLES.filter((role) => columns.includes(role));
  // If the header has these very names, it says where they are.
  if (roles.every((role) => cells.includes(role))) return roles.map((role) => cells.indexOf(role));
  if (cells.length >= columns.length) return roles.map((role) => columns.indexOf(role));
  return `expected the ${columns.length} columns ${columns.join(',')}`;
}

function placesByName(cells: readonly string[], columns: readonly string[]): number[] | string {
  const isNumber = (name: string) => /^[1-9]\d{0,5}$/.test(name);
  // Numbers only may be for a file without a header, whose first values are no names.
  const areNumbers = columns.every(isNumber);
  const places = columns.map((name) => {
    const named = areNumbers ? -1 : cells.indexOf(name);
    return named < 0 && isNumber(name) && Number(name) <= cells.length ? Number(name) - 1 : named;
  });
  const unknown = columns.find((_, i) => places[i] === -1);
  if (unknown !== undefined) return `expected a column '${unknown}'`;
  const twice = columns.find((_, i) => places.indexOf(places[i] as number) !== i);
  return twice === undefined ? places : `expected different columns: '${twice}' is named twice`;
}
