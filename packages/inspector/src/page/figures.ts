/**
 * Number formats for people: digit groups, and only meaningful decimals.
 */

const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

export function whole(value: number): string {
  return WHOLE.format(value);
}

/** Short above ten thousand: 48.2K. */
export function compact(value: number): string {
  return value < 10_000 ? WHOLE.format(value) : COMPACT.format(value);
}

/** Three significant digits, at most two decimals. */
export function measured(value: number): string {
  const magnitude = Math.abs(value);
  return value.toLocaleString('en', {
    maximumFractionDigits: magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : 2,
  });
}

/** A coordinate, with the decimals that one pixel can show at this scale. */
export function coordinate(value: number, scale: number): string {
  const decimals = Math.min(3, Math.max(0, Math.ceil(Math.log10(Math.max(scale, 1e-9)))));
  return value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export function seconds(value: number): string {
  const whole = Math.floor(value);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = String(whole % 60).padStart(2, '0');
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`;
}

/** A time to a hundredth of a second, for looking at single ticks. */
export function moment(value: number): string {
  const hundredths = Math.round(value * 100);
  return `${seconds(Math.floor(hundredths / 100))}.${String(hundredths % 100).padStart(2, '0')}`;
}

const ROUND_SECONDS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** A round time step of at least that many seconds. */
export function roundSeconds(min: number): number {
  return ROUND_SECONDS.find((step) => step >= min) ?? Math.ceil(min / 3600) * 3600;
}

/** 1, 2 or 5 times a power of ten: the largest that is at most `max`. */
export function roundStep(max: number): number {
  const decade = 10 ** Math.floor(Math.log10(max));
  const lead = max / decade;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * decade;
}
