/**
 * Loads the page's script when its reader first does something that needs it: moves a mouse, presses a key, clicks a
 * button.
 *
 * A page is complete without the script: text, links, colours. Search, menus, the outline and copying need the script.
 * Starting it costs a phone some tenths of a second in which it cannot scroll; a reader who only reads never pays that.
 * The files are prefetched while the browser is idle, and a click or key that comes too early is repeated once the script
 * runs.
 *
 * It is in each page's head. SCRIPTS is replaced by the addresses of the scripts, in their order, and
 * PARTS by those of all files that they need.
 */
(() => {
  // A reader who goes to an anchor must find it, so everything is laid out. See site.css.
  const layOutWhole = () => {
    document.documentElement.dataset.whole = '';
  };
  if (location.hash !== '' || performance.getEntriesByType('navigation')[0]?.type !== 'navigate')
    layOutWhole();
  /** @type {Promise<void> | undefined} */
  let waking;
  let isAwake = false;
  const { scrollTo } = window;
  const awaken = () => {
    layOutWhole();
    waking ??= new Promise((resolve, reject) => {
      addEventListener('umwelt:awake', () => setTimeout(resolve), { once: true });
      SCRIPTS.reduce((before, script) => before.then(() => import(script)), Promise.resolve()).catch(reject);
      // As it starts, the script scrolls to the top, or to the address's anchor. The reader has gone on since.
      window.scrollTo = () => {};
    })
      .finally(() => {
        window.scrollTo = scrollTo;
      })
      .then(() => {
        isAwake = true;
        for (const [name, listener] of Object.entries(first)) removeEventListener(name, listener, true);
      });
    return waking;
  };
  /** Stops the event now and repeats it later. */
  const later = (event, again) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    awaken().then(again);
  };
  const first = {
    // A page that comes up below a mouse at rest is told so by an event without a movement.
    pointermove: ({ pointerType, movementX, movementY }) => {
      if (pointerType === 'mouse' && (movementX !== 0 || movementY !== 0)) awaken();
    },
    keydown: (event) => {
      const { key, ctrlKey, metaKey, target } = event;
      const isSearch = (key === 'k' && (ctrlKey || metaKey)) || (key === '/' && target === document.body);
      if (isSearch) later(event, () => target.dispatchEvent(new KeyboardEvent('keydown', event)));
      else awaken();
    },
    click: (event) => {
      layOutWhole();
      const button = event.target instanceof Element ? event.target.closest('button, [role="button"]') : null;
      // A link works without the script, and the playground has a script of its own.
      if (button === null || button.closest('umwelt-playground') !== null) return;
      if (!isAwake) later(event, () => button.click());
    },
  };
  for (const [name, listener] of Object.entries(first)) addEventListener(name, listener, true);
  // In the HTML, the theme's switches have no name, and are off in the dark theme, too.
  addEventListener('DOMContentLoaded', () => {
    const isDark = document.documentElement.classList.contains('dark');
    for (const button of document.querySelectorAll('.VPSwitchAppearance')) {
      button.title = `Switch to ${isDark ? 'light' : 'dark'} theme`;
      button.setAttribute('aria-checked', String(isDark));
    }
    showPlace();
  });
  // In the HTML, the sidebar is at its beginning and marks no page; the list of names is longer than a screen.
  const showPlace = () => {
    const here = location.pathname.replace(/\.html$/, '');
    const sidebar = document.querySelector('.VPSidebar');
    for (const link of sidebar?.querySelectorAll('a') ?? []) {
      if (link.pathname.replace(/\.html$/, '') !== here) continue;
      link.setAttribute('aria-current', 'page');
      // From then on the script marks the page.
      addEventListener('umwelt:awake', () => link.removeAttribute('aria-current'), { once: true });
      const top = link.getBoundingClientRect().top;
      if (top > innerHeight * 0.8) sidebar.scrollTop += top - innerHeight / 2;
      return;
    }
  };
  addEventListener('load', () => {
    const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 500));
    idle(() => {
      for (const href of PARTS) {
        const link = Object.assign(document.createElement('link'), { rel: 'prefetch', as: 'script', href });
        link.crossOrigin = '';
        document.head.append(link);
      }
    });
  });
})();
