/** Writes text and numbers as HTML and SVG. */

/** Escapes a text or an attribute value. */
export function escaped(text: string): string {
  return text.replace(/&/gu, '&amp;').replace(/</gu, '&lt;').replace(/>/gu, '&gt;').replace(/"/gu, '&quot;');
}

/** A coordinate, to a tenth of a pixel. */
export function pixel(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The kind of an engine, which decides its colour: ours, native code, or a peer. */
export function sideOf(engine: string): 'ours' | 'native' | 'peer' {
  if (engine.startsWith('umwelt')) return 'ours';
  return engine.startsWith('native') ? 'native' : 'peer';
}

/** The position of values on a logarithmic axis, from `from` to `to` pixels; whole powers of ten at both ends. */
export class LogAxis {
  readonly #low: number;
  readonly #high: number;
  readonly #from: number;
  readonly #to: number;

  /** `value` is above 0. */
  constructor(values: readonly number[], from: number, to: number) {
    const logs = values.filter((value) => value > 0).map(Math.log10);
    this.#low = Math.floor(Math.min(...logs, Number.MAX_VALUE));
    this.#high = Math.max(Math.ceil(Math.max(...logs)), this.#low + 1);
    this.#from = from;
    this.#to = to;
  }

  at(value: number): number {
    const part = (Math.log10(value) - this.#low) / (this.#high - this.#low);
    return pixel(this.#from + part * (this.#to - this.#from));
  }

  /** The powers of ten. */
  decades(): number[] {
    return Array.from({ length: this.#high - this.#low + 1 }, (_, i) => 10 ** (this.#low + i));
  }
}
