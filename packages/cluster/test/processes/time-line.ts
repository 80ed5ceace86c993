/**
 * What happened in a run, second by second: as text, a line for each broker and node and one for the marks, and as a picture.
 *
 *   broker  ====xx======      = up, x killed, . stopped
 *   n0      ==xxx==....=
 *   marks   89980009999       tenths of the marks that are due, 9 for all
 *   clients 99974899999       tenths of the clients that are connected, 9 for all
 *
 * The picture has bars in place of letters and curves in place of tenths, ten minutes in a band, bands below each other.
 */
export type State = 'up' | 'killed' | 'stopped';

const [WIDTH, LEFT, RIGHT, TOP] = [1180, 80, 30, 70];
const [ROW, CURVE, BAND_GAP, AXIS] = [11, 30, 26, 18];
const BAND_SECONDS = 600;
const COLOURS: Readonly<Record<State, string>> = { up: '#c9dfc6', killed: '#c0392b', stopped: '#e0a020' };
/** So that one second is seen in a picture of ten minutes. */
const LEAST_WIDTH = 2;

export class TimeLine {
  readonly #names: readonly string[];
  readonly #rows: Map<string, State[]>;
  readonly #marks: number[] = [];
  readonly #clients: number[] = [];

  constructor(names: readonly string[]) {
    this.#names = names;
    this.#rows = new Map(names.map((name) => [name, []]));
  }

  /** One second more. `marks`: those of it, of `due`; `connected`: the part of the clients, where there are any. */
  note(states: ReadonlyMap<string, State>, marks: number, due: number, connected?: number): void {
    for (const name of this.#names) this.#rows.get(name)!.push(states.get(name) ?? 'killed');
    this.#marks.push(marks / due);
    if (connected !== undefined) this.#clients.push(connected);
  }

  /** In pieces of so many seconds. */
  text(width = 100): string {
    const letters = { up: '=', killed: 'x', stopped: '.' } as const;
    const rows: (readonly [string, string])[] = [
      ...[...this.#rows].map(
        ([name, states]) => [name, states.map((state) => letters[state]).join('')] as const,
      ),
      ['marks', this.#marks.map(tenths).join('')],
    ];
    if (this.#clients.length > 0) rows.push(['clients', this.#clients.map(tenths).join('')]);
    const pad = Math.max(...rows.map(([name]) => name.length)) + 2;
    const lines: string[] = [];
    for (let from = 0; from < this.#marks.length; from += width) {
      lines.push(`${''.padEnd(pad)}${from} s`);
      for (const [name, row] of rows) lines.push(`${name.padEnd(pad)}${row.slice(from, from + width)}`);
    }
    return lines.join('\n');
  }

  /** `lines` stand above the bands. */
  picture(lines: readonly string[]): string {
    const seconds = this.#marks.length;
    const bands = Math.max(1, Math.ceil(seconds / BAND_SECONDS));
    const curves = this.#clients.length > 0 ? 2 : 1;
    const bandHeight = this.#names.length * ROW + curves * CURVE + AXIS + BAND_GAP;
    const height = TOP + bands * bandHeight;
    // A short run fills the width, too.
    const span = Math.min(BAND_SECONDS, Math.max(60, seconds));
    const scale = (WIDTH - LEFT - RIGHT) / span;
    const parts: string[] = [];
    for (let band = 0; band < bands; band++) {
      const from = band * BAND_SECONDS;
      parts.push(...this.#band(from, Math.min(seconds, from + BAND_SECONDS), TOP + band * bandHeight, scale));
    }
    const legend = (['up', 'killed', 'stopped'] as const).map(
      (state, i) =>
        `<rect x="${LEFT + 90 * i}" y="${TOP - 24}" width="12" height="9" fill="${COLOURS[state]}"/><text x="${LEFT + 90 * i + 17}" y="${TOP - 16}">${state}</text>`,
    );
    const head = lines.map((line, i) => `<text x="${LEFT}" y="${16 + 15 * i}" font-size="13">${line}</text>`);
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11" fill="#222">
<title>${lines[0] ?? 'time line'}</title>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
${[...head, ...legend, ...parts].join('\n')}
</svg>
`;
  }

  #band(from: number, to: number, top: number, scale: number): string[] {
    const across = (second: number): string => (LEFT + (second - from) * scale).toFixed(1);
    const parts: string[] = [];
    let y = top;
    for (const [name, states] of this.#rows) {
      parts.push(label(name, y + ROW - 2));
      for (const { state, begin, end } of stretches(states, from, to)) {
        const width = Math.max(state === 'up' ? 0 : LEAST_WIDTH, (end - begin) * scale);
        parts.push(
          `<rect x="${across(begin)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 2}" fill="${COLOURS[state]}"/>`,
        );
      }
      y += ROW;
    }
    const curves: [string, readonly number[], string][] = [['marks', this.#marks, '#1f6fb2']];
    if (this.#clients.length > 0) curves.push(['clients in', this.#clients, '#7a3fa0']);
    for (const [name, values, colour] of curves) {
      // Marks of a tick late are in the second after; what is above all is drawn as all.
      const up = (value: number): string => (y + CURVE - 4 - Math.min(1, value) * (CURVE - 8)).toFixed(1);
      const points = values
        .slice(from, to)
        .map((value, i) => `${across(from + i)} ${up(value)}H${across(from + i + 1)}`);
      parts.push(label(name, y + CURVE / 2 + 4));
      parts.push(`<path d="M${LEFT} ${up(0)}H${WIDTH - RIGHT}" stroke="#ddd"/>`);
      if (points.length > 0)
        parts.push(`<path d="M${points.join('L')}" fill="none" stroke="${colour}" stroke-width="1.2"/>`);
      y += CURVE;
    }
    for (let minute = Math.ceil(from / 60); minute * 60 <= to; minute++) {
      parts.push(
        `<text x="${across(minute * 60)}" y="${y + 11}" text-anchor="middle" fill="#666">${minute} min</text>`,
      );
    }
    return parts;
  }
}

/** Runs of seconds in one state. */
function stretches(states: readonly State[], from: number, to: number) {
  const found: { state: State; begin: number; end: number }[] = [];
  for (let second = from; second < to; second++) {
    const last = found.at(-1);
    const state = states[second]!;
    if (last?.state === state) last.end = second + 1;
    else found.push({ state, begin: second, end: second + 1 });
  }
  return found;
}

function label(name: string, y: number): string {
  return `<text x="${LEFT - 8}" y="${y}" text-anchor="end">${name}</text>`;
}

function tenths(part: number): string {
  return String(Math.min(9, Math.floor(10 * part)));
}
