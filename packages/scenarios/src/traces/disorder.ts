/**
 * Counts errors in the order of a trace's lines, over all lines, and gives the command that fixes them.
 *
 * An exported recording is often sorted by id, or has duplicate samples. If only the first such line were reported, users would
 * fix a file line by line. Method: a set of each id's times, if it has several, for up to 2,097,152 samples: some 200 MB at worst,
 * for a file that is rejected anyway. Beyond that, duplicates are no longer counted, and the count says 'at least'.
 */
import type { TraceLayout } from './trace-layout.ts';

/** Number of samples up to which duplicates are counted. */
const MOST_REMEMBERED = 2_097_152;

export class Disorder {
  /** Lines whose time is earlier than that of some line above. */
  backwards = 0;
  /** Lines whose id has a sample of the same time above. */
  duplicates = 0;
  #latest = Number.NEGATIVE_INFINITY;
  #taken = 0;
  readonly #timesOf = new Map<string, number | Set<number>>();

  /** Takes the next line. */
  take(t: number, id: string): void {
    if (t < this.#latest) this.backwards++;
    else this.#latest = t;
    if (this.#taken++ >= MOST_REMEMBERED) return;
    const times = this.#timesOf.get(id);
    if (times === undefined) this.#timesOf.set(id, t);
    else if (typeof times !== 'number') this.#note(times, t);
    else if (times === t) this.duplicates++;
    else this.#timesOf.set(id, new Set([times, t]));
  }

  #note(times: Set<number>, t: number): void {
    if (times.has(t)) this.duplicates++;
    else times.add(t);
  }

  /** Text such as 'in all 12 lines are each earlier than one above, 3 lines are each a duplicate'. */
  get counts(): string {
    const least = this.#taken > MOST_REMEMBERED ? 'at least ' : '';
    const backwards = `${lines(this.backwards)} earlier than one above`;
    const duplicates = `${least}${lines(this.duplicates)} a duplicate`;
    if (this.backwards === 0) return `in all ${duplicates}`;
    return this.duplicates === 0 ? `in all ${backwards}` : `in all ${backwards}, ${duplicates}`;
  }
}

function lines(count: number): string {
  return count === 1 ? '1 line is' : `${count.toLocaleString('en-US')} lines are each`;
}

/** For a shell with awk, sort and, for packed files, gzip: sorts by time, keeps the first of duplicates, and the header. */
export function mendingCommand(path: string, layout: TraceLayout, { backwards }: Disorder): string {
  const { delimiter, places, hasHeader } = layout;
  const t = (places[0] as number) + 1;
  const id = (places[1] as number) + 1;
  // The number as it is parsed, with all digits: 0.5 and 0.50 are the same time.
  const isFirst = `NF&&!seen[$${t}+0,$${id}]++`;
  const separator = delimiter === ' ' ? '' : `-t${awkText(delimiter)} `;
  const sorted = `{print|"LC_ALL=C sort -s ${separator}-k${t},${t}g"}`;
  const header = hasHeader ? 'NR==1{print;fflush();next} ' : '';
  const program = backwards === 0 ? isFirst : `${header}${isFirst}${sorted}`;
  const fields = delimiter === ' ' ? '' : `-F '${delimiter === '\t' ? '\\t' : delimiter}' `;
  const awk = `awk -v CONVFMT=%.17g ${fields}'${program}'`;
  const isPacked = path.endsWith('.gz');
  const mended = shellWord(mendedName(path));
  if (!isPacked) return `${awk} ${shellWord(path)} > ${mended}`;
  return `gzip -dc ${shellWord(path)} | ${awk} | gzip > ${mended}`;
}

/** A delimiter within an awk string that a shell parses again. */
function awkText(delimiter: string): string {
  return delimiter === ',' ? ',' : `\\"${delimiter === '\t' ? '\\t' : delimiter}\\"`;
}

/** 'a/people-mended.csv' for 'a/people.csv'. */
function mendedName(path: string): string {
  return path.replace(/(\.[^./\\]+)?(\.gz)?$/, '-mended$1$2');
}

function shellWord(text: string): string {
  if (/^[\w./:@+,-]+$/.test(text) && !text.startsWith('-')) return text;
  return `'${text.startsWith('-') ? './' : ''}${text.replaceAll("'", "'\\''")}'`;
}
