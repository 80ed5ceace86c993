/**
 * The page's beginning: the state it starts from, the feed of the server that served it, the elements.
 *
 * `window.umwelt` is the explorer, for the browser's console and for tests that ask where on the screen an entity is.
 */
import { render } from 'preact';
import { Page } from './components/page.tsx';
import { Explorer, THEME_KEY } from './explorer.ts';
import { applyPalette, type Theme } from './palette.ts';
import { Store } from './store.ts';
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
  const chosen = localStorage.getItem(THEME_KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}

const theme = firstTheme();
applyPalette(theme, document.documentElement);

const store = new Store({
  connection: 'connecting',
  greeting: undefined,
  paused: false,
  speed: 1,
  tick: 0,
  seek: undefined,
  strip: undefined,
  entityCount: 0,
  watcherCount: 0,
  kindCounts: [],
  relations: 0,
  tickMs: 0,
  eventsPerSecond: 0,
  churn: 0,
  detector: '',
  detectorRefusal: undefined,
  isStructureShown: false,
  structure: undefined,
  selected: undefined,
  selectedKind: 0,
  lately: undefined,
  comparedId: 0,
  explanation: undefined,
  description: undefined,
  isPickingOther: false,
  hovered: undefined,
  hoveredKind: 0,
  isFollowing: false,
  theme,
  isByHeight: false,
  isHelpOpen: false,
  isPanelOpen: true,
  graphicsFault: undefined,
  scale: 1,
  announcement: '',
});

// Who has chosen no theme gets the system's, also when that changes.
matchMedia('(prefers-color-scheme: light)').addEventListener('change', () => {
  if (localStorage.getItem(THEME_KEY) === null) store.set({ theme: firstTheme() });
});

const address = new URL('feed', location.href);
// Beyond the loopback the page's address has the token that the feed wants, too.
address.search = location.search;
address.protocol = // Beyond the loopback the page's address has the token that the feed wants, too.
  address.search = location.search;
address.protocol === 'https:' ? 'wss:' : 'ws:';
window.umwelt = new Explorer(store, address.href);
const root = document.getElementById('page');
if (root !== null) render(<Page explorer={window.umwelt} />, root);
