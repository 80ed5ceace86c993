/**
 * Numbers as the commands print them: the same on every machine, whatever its language.
 */

/** An integer with a comma between thousands, the same on every machine. */
export function fullCount(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/gu, ',');
}

/** As `fullCount`, with its noun: 1 tick, 2 ticks. */
export function counted(number: number, one: string, many = `${one}s`): string {
  const count = fullCount(number);
  return `${count} ${count === '1' ? one : many}`;
}

/** A rate that may have a fraction, with its noun. */
export function ticksPerSecond(rate: number): string {
  return `${rate} ${rate === 1 ? 'tick' : 'ticks'} per second`;
}

/** At most four characters up to a thousand million: 950, 12.3k, 4.56M. */
export function shortCount(number: number): string {
  const whole = Math.round(number);
  if (whole < 1000) return String(whole);
  const exponent = whole < 999_500 ? 1 : whole < 999_500_000 ? 2 : 3;
  const unit = ['', 'k', 'M', 'G'][exponent] as string;
  const scaled = whole / 1000 ** exponent;
  return `${scaled < 9.995 ? scaled.toFixed(2) : scaled < 99.95 ? scaled.toFixed(1) : scaled.toFixed(0)}${unit}`;
}

/** Three significant digits, below a second. */
export function milliseconds(ms: number): string {
  return ms.toFixed(ms < 10 ? 2 : ms < 100 ? 1 : 0);
}
