/**
 * The page's icons, drawn on a grid of 16 with one line width, in the colour of the text around them.
 */

const PATHS = {
  play: 'M5 3.2v9.6l7.8-4.8z',
  pause: 'M5 3.5v9M11 3.5v9',
  step: 'M4 3.6v8.8l6-4.4zM12 3.6v8.8',
  'step-back': 'M12 3.6v8.8L6 8zM4 3.6v8.8',
  slower: 'M3.5 8h9',
  faster: 'M3.5 8h9M8 3.5v9',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  sun: 'M8 5.2a2.8 2.8 0 1 0 0 5.6a2.8 2.8 0 1 0 0-5.6M8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.6 5.6 0 1 0 6.6 6.6z',
  panel: 'M2.5 3.5h11v9h-11zM10 3.5v9',
  help: 'M5.9 6.1a2.2 2.2 0 1 1 3.2 2c-.8.4-1.1.8-1.1 1.6M8 12.1v.1',
  close: 'M4 4l8 8M12 4l-8 8',
  find: 'M7 2.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8M10.3 10.3l3.4 3.4',
  follow: 'M8 2v2.4M8 11.6V14M2 8h2.4M11.6 8H14M8 5.4a2.6 2.6 0 1 0 0 5.2a2.6 2.6 0 1 0 0-5.2',
} as const;

export type IconName = keyof typeof PATHS;

const FILLED: ReadonlySet<IconName> = new Set(['play', 'step', 'step-back']);

export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill={FILLED.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      stroke-width={name === 'pause' ? 2.2 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="22" height="22" aria-hidden="true">
      <circle cx="16" cy="16" r="13" fill="none" stroke="var(--accent)" stroke-width="2.4" />
      <circle cx="16" cy="16" r="3.6" fill="var(--ink)" />
      <circle cx="23" cy="11" r="2.7" fill="var(--accent)" />
      <circle cx="10" cy="21.6" r="2.7" fill="var(--perceived-by)" />
    </svg>
  );
}
