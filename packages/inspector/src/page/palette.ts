/**
 * All colours of the page, for the canvas and the elements around it, light and dark.
 *
 * The colours of kinds follow Okabe and Ito's set (Color Universal Design, 2008), lightened on dark ground and darkened on
 * light, so that people with any of the common colour-vision deficiencies can tell them apart. "Perceives" and "perceived by"
 * differ in hue, lightness and line style. Heights use a ramp of rising lightness in the manner of viridis, reversed on light
 * ground: higher is always farther from the ground's colour.
 */

export type Theme = 'light' | 'dark';

/** Red, green, blue, each 0 to 1. */
export type Colour = readonly [red: number, green: number, blue: number];

export interface Palette {
  readonly ground: string;
  /** Colour outside the world's bounds. */
  readonly beyond: string;
  readonly line: string;
  /** Strength of the strongest grid line, 0 to 1. */
  readonly lineStrength: number;
  readonly panel: string;
  readonly edge: string;
  readonly ink: string;
  readonly inkSoft: string;
  readonly inkFaint: string;
  readonly accent: string;
  readonly perceives: string;
  /** By sense; the first is `perceives`. */
  readonly senses: readonly string[];
  readonly perceivedBy: string;
  readonly enter: string;
  readonly leave: string;
  readonly warning: string;
  /** For values over their limit: a tick that took longer than its budget. */
  readonly over: string;
  /** The detector's cells and lines, and the numbers in them. */
  readonly structure: string;
  readonly structureInk: string;
  /** The colour that dense crowds shift to. */
  readonly dense: string;
  readonly kinds: readonly string[];
  /** Lowest first. */
  readonly heights: readonly string[];
}

const DARK: Palette = {
  ground: '#0c1118',
  beyond: '#080b10',
  line: '#8fb3d9',
  lineStrength: 0.11,
  panel: '#121923',
  edge: '#243041',
  ink: '#e8eef5',
  inkSoft: '#9fb0c3',
  inkFaint: '#7d8fa5',
  accent: '#5fe3d3',
  perceives: '#6cf0df',
  senses: ['#6cf0df', '#c79bff', '#8fd14f', '#ff9ad5', '#7fb4ff', '#f2e25c', '#ffae85', '#c3ced9'],
  perceivedBy: '#ffc65c',
  enter: '#6cf0df',
  leave: '#ff7d9c',
  warning: '#ff9d6b',
  over: '#ff5d6c',
  structure: '#8796ff',
  structureInk: '#b4beff',
  dense: '#ffffff',
  kinds: ['#56b4f5', '#f0a53a', '#3fcf9f', '#e890c8', '#f2e25c', '#ff7c55', '#a596ff', '#b7c4d1'],
  heights: ['#4a4fb0', '#2f83bb', '#27b39b', '#8bd65a', '#fdf06b'],
};

const LIGHT: Palette = {
  ground: '#fcfbf8',
  beyond: '#f1efe9',
  line: '#3c4a5c',
  lineStrength: 0.14,
  panel: '#ffffff',
  edge: '#dcdad3',
  ink: '#16202c',
  inkSoft: '#4d5b6b',
  inkFaint: '#647080',
  accent: '#00776d',
  perceives: '#00857a',
  senses: ['#00857a', '#7a3fd1', '#4b7d00', '#b3257e', '#1c63c4', '#857300', '#b3521c', '#55606d'],
  perceivedBy: '#b35c00',
  enter: '#00857a',
  leave: '#c8224f',
  warning: '#b34700',
  over: '#c81e33',
  structure: '#5560d6',
  structureInk: '#3f48b0',
  dense: '#0b1830',
  kinds: ['#1c72b8', '#c46f00', '#00855f', '#b04a8f', '#8c7a00', '#c9421c', '#5f4fcf', '#5d6977'],
  heights: ['#b9bd3c', '#4fa85f', '#1d8a8c', '#2f5d97', '#43216b'],
};

export const PALETTES: Readonly<Record<Theme, Palette>> = { dark: DARK, light: LIGHT };

/** A colour of the palette, `#rrggbb`, as numbers. */
export function colourOf(hex: string): Colour {
  const value = Number.parseInt(hex.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

/** Colour of a kind; kinds beyond the palette start again at its first colour. */
export function kindColour(palette: Palette, kind: number): string {
  return palette.kinds[kind % palette.kinds.length] as string;
}

/** Sets the palette as custom properties of the document, for the style sheet. */
export function applyPalette(theme: Theme, root: HTMLElement): void {
  const palette = PALETTES[theme];
  root.dataset.theme = theme;
  root.style.colorScheme = theme;
  for (const [name, value] of Object.entries(palette)) {
    if (typeof value !== 'string') continue;
    const property = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    root.style.setProperty(`--${property}`, value);
  }
  root.style.setProperty('--heights', `linear-gradient(to right, ${palette.heights.join(', ')})`);
}
