/**
 * What happened in a run, a character for each second: a line for each broker and node, and one for the marks.
 *
 *   broker  ====xx======      = up, x killed, . stopped
 *   n0      ==xxx==....=
 *   marks   89980009999       tenths of the marks that are due, 9 for all
 *   clients 99974899999       tenths of the clients that are connected, 9 for all
 */
export class TimeLine {
  readonly #names: readonly string[];
  readonly #rows: Map<string, string>;
  #marks = '';
  #clients = '';

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#rows = new Map(names.map((name) => [name, '']));
  }

  /** One second more. `marks`: those of it, of `due`; `connected`: the part of the clients, where there are any. */
  note(
    states: ReadonlyMap<string, 'up' | 'killed' | 'stopped'>,
    marks: number,
    due: number,
    connected?: number,
  ): void {
    const letters = { up: '=', killed: 'x', stopped: '.' } as const;
    for (const name of this.#names) {
      this.#rows.set(name, `${this.#rows.get(name)}${letters[states.get(name) ?? 'killed']}`);
    }
    this.#marks += tenths(marks / due);
    if (connected !== undefined) this.#clients += tenths(connected);
  }

  /** In pieces of so many seconds. */
  text(width = 100): string {
    const rows = [...this.#rows, ['marks', this.#marks] as const];
    if (this.#clients !== '') rows.push(['clients', this.#clients]);
    const pad = Math.max(...rows.map(([name]) => name.length)) + 2;
    const lines: string[] = [];
    for (let from = 0; from < this.#marks.length; from += width) {
      lines.push(`${''.padEnd(pad)}${from} s`);
      for (const [name, row] of rows) lines.push(`${name.padEnd(pad)}${row.slice(from, from + width)}`);
    }
    return lines.join('\n');
  }
}

function tenths(part: number): string {
  return String(Math.min(9, Math.floor(10 * part)));
}
