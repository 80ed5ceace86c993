/**
 * The common start of every page with a world in it: initial state, theme, elements.
 *
 * `window.umwelt` is the explorer, for the browser's console and for tests that look up where an entity is on the screen.
 */
import type { ComponentChildren } from 'preact';
import { render } from 'preact';
import { Page } from './components/page.tsx';
import { Explorer, THEME_KEY } from './explorer.ts';
import type { FeedLink, FeedListener } from './feed-link.ts';
import { applyPalette, type Theme } from './palette.ts';
import { recall } from './remembered.ts';
import { firstState, Store } from './store.ts';
import 'uplot/dist/uPlot.min.css';
import './styles/base.css';
import './styles/world.css';
import './styles/bar.css';
import './styles/panel.css';
import './styles/structure.css';
import './styles/card.css';
import './styles/help.css';
import './styles/time-line.css';
import './styles/narrow.css';

declare global {
  interface Window {
    umwelt: Explorer;
  }
}

function firstTheme(): Theme {
  const chosen = recall(THEME_KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}

export interface PageParts {
  connect(listener: FeedListener): FeedLink;
  /** Content at the top of the panel. */
  panelTop?(explorer: Explorer): ComponentChildren;
}

export function beginPage({ connect, panelTop }: PageParts): Explorer {
  const theme = firstTheme();
  applyPalette(theme, document.documentElement);
  const store = new Store(firstState(theme));
  // If the user has chosen no theme, the page follows the system's, also when it changes.
  matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => {
    if (recall(THEME_KEY) === null) store.set({ theme: firstTheme() });
  });
  const explorer = new Explorer(store, connect);
  window.umwelt = explorer;
  const root = document.getElementById('page');
  if (root !== null) render(<Page explorer={explorer} panelTop={panelTop?.(explorer)} />, root);
  return explorer;
}
