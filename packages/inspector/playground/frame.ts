/**
 * The playground as a part of another page: in a frame.
 *
 * Where there is no room beside the world, the panel waits behind its button. The page around says which theme it has, and is told when
 * something moves: until then it shows a still picture in the frame's place. The frame may be shut off from its site, so all
 * is said by messages. They can do no more than choose a theme, so it does not matter who sends them.
 *
 * Until it is clicked or tapped, and again when something else is, wheel and finger scroll the page around, as if it were a picture.
 */
import type { Explorer } from '../src/page/explorer.ts';

/** The width up to which the panel lies over the world's lower half, CSS pixels: as in narrow.css. */
const NARROW_PX = 760;

/** What the page around says. */
interface FromAround {
  readonly umweltTheme?: unknown;
}

/** What it is told. */
const MOVES = 'umwelt:moves';

export function obeyFrame(explorer: Explorer): void {
  if (window.parent === window) return;
  if (window.innerWidth <= NARROW_PX) explorer.togglePanel();
  window.addEventListener('message', ({ data }: MessageEvent<FromAround | null>) => {
    const theme = data?.umweltTheme;
    if (theme === 'light' || theme === 'dark') explorer.setTheme(theme);
  });
  let isTaken = false;
  const take = (isNow: boolean) => {
    isTaken = isNow;
    document.documentElement.toggleAttribute('data-untaken', !isNow);
  };
  take(false);
  window.addEventListener('click', () => take(true));
  window.addEventListener('blur', () => take(false));
  // The world would zoom by it.
  window.addEventListener('wheel', (event) => isTaken || event.stopPropagation(), { capture: true });
  const unsubscribe = explorer.store.subscribe(() => {
    if (explorer.store.state.selected === undefined) return;
    unsubscribe();
    // The frame after this one has it on the screen.
    requestAnimationFrame(() => requestAnimationFrame(() => window.parent.postMessage(MOVES, '*')));
  });
}
