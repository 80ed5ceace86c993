/**
 * The look of each contender in every plot: a fixed colour, mark and line style.
 *
 * Colours are from Okabe and Ito's set, which is distinguishable with all common kinds of colour blindness, darkened where it
 * is too pale for thin lines on white; marks differ as well, so that colour is never the only difference. A variant of a
 * detector has its colour and a dashed line. Unknown contenders share the remaining look.
 */

export type Mark = 'circle' | 'square' | 'diamond' | 'up' | 'down' | 'ring' | 'cross';

export interface SeriesStyle {
  /** CSS class with the colour, defined by `seriesColours`. */
  readonly colour: string;
  readonly mark: Mark;
  readonly isDashed: boolean;
}

interface Look {
  readonly mark: Mark;
  readonly light: string;
  readonly dark: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  sweep: { mark: 'circle', light: '#0066a6', dark: '#4aa3e8' },
  'nine-grid': { mark: 'square', light: '#c8500a', dark: '#f18a4e' },
  tower: { mark: 'diamond', light: '#9a6f00', dark: '#e4b93f' },
  'cross-list': { mark: 'up', light: '#00805e', dark: '#35c79c' },
  'hot-pair': { mark: 'down', light: '#a34c8b', dark: '#dc96c5' },
  quadtree: { mark: 'ring', light: '#3f97c9', dark: '#92d3f7' },
  'brute-force': { mark: 'cross', light: '#70757a', dark: '#9aa0a6' },
  other: { mark: 'circle', light: '#44474a', dark: '#c3c7cb' },
};

/** Colours by class for a theme, as CSS variables. */
export function seriesColours(theme: 'light' | 'dark'): string {
  return Object.entries(LOOKS)
    .map(([name, look]) => `--${name}:${look[theme]}`)
    .join(';');
}

/** The CSS classes. */
export const seriesClasses = Object.keys(LOOKS)
  .map((name) => `.c-${name}{color:var(--${name})}`)
  .join('\n');

export function styleOf(contender: string): SeriesStyle {
  const base = Object.keys(LOOKS).find((name) => contender === name || contender.startsWith(`${name} `));
  const { mark } = LOOKS[base ?? 'other'] as Look;
  return {
    colour: `c-${base ?? 'other'}`,
    mark,
    isDashed: base !== contender || contender === 'brute-force',
  };
}

/** An SVG shape around a point, some eight pixels wide. */
export function markShape(mark: Mark, x: number, y: number): string {
  const points = (...pairs: readonly (readonly [number, number])[]) =>
    `<polygon points="${pairs.map(([dx, dy]) => `${round(x + dx)},${round(y + dy)}`).join(' ')}"/>`;
  switch (mark) {
    case 'circle':
      return `<circle cx="${round(x)}" cy="${round(y)}" r="3.6"/>`;
    case 'square':
      return `<rect x="${round(x - 3.2)}" y="${round(y - 3.2)}" width="6.4" height="6.4"/>`;
    case 'diamond':
      return points([0, -4.6], [4.6, 0], [0, 4.6], [-4.6, 0]);
    case 'up':
      return points([0, -4.4], [4.2, 3.2], [-4.2, 3.2]);
    case 'down':
      return points([0, 4.4], [4.2, -3.2], [-4.2, -3.2]);
    case 'ring':
      return `<circle cx="${round(x)}" cy="${round(y)}" r="3.3" class="hollow"/>`;
    case 'cross':
      return `<path d="M${round(x - 3)} ${round(y - 3)}l6 6m0-6l-6 6" class="stroke"/>`;
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
