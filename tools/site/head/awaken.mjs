/**
 * Wakes the page when its reader first does something that needs it: moves a mouse, presses a key, clicks a button.
 *
 * A page is whole as it comes: text, links, colours. What needs the script is search, menus, the outline and copying. Taking
 * over a page costs a phone some tenths of a second, in which it cannot scroll; a reader who only reads never pays. The files are
 * brought while nothing else happens, and a click or key that comes too early is done again once the page is awake.
 *
 * It stands in each page's head, where APP is the address of the script, and PARTS those of what it imports.
 */
(() => {
  // Who goes to a place within a page must find it there: everything is laid out. See site.css.
  const layOutWhole = () => {
    document.documentElement.dataset.whole = '';
  };
  if (location.hash !== '' || performance.getEntriesByType('navigation')[0]?.type !== 'navigate')
    layOutWhole();
  /** @type {Promise<void> | undefined} */
  let waking;
  let isAwake = false;
  const awaken = () => {
    layOutWhole();
    waking ??= new Promise((resolve) => {
      addEventListener('umwelt:awake', () => setTimeout(resolve), { once: true });
      import(APP);
    }).then(() => {
      isAwake = true;
      for (const [name, listener] of Object.entries(first)) removeEventListener(name, listener, true);
    });
    return waking;
  };
  /** Done again later, and not now. */
  const later = (event, again) => {
    event.preventDefault();
    event.stopImmediatePropagation();
    awaken().then(again);
  };
  const first = {
    pointermove: ({ pointerType }) => {
      if (pointerType === 'mouse') awaken();
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
      // A link leads on by itself, and the playground has a script of its own.
      if (button === null || button.closest('umwelt-playground') !== null) return;
      if (!isAwake) later(event, () => button.click());
    },
  };
  for (const [name, listener] of Object.entries(first)) addEventListener(name, listener, true);
  // As they come, the theme's switches have no name, and are off in the dark, too.
  addEventListener('DOMContentLoaded', () => {
    const isDark = document.documentElement.classList.contains('dark');
    for (const button of document.querySelectorAll('.VPSwitchAppearance')) {
      button.title = `Switch to ${isDark ? 'light' : 'dark'} theme`;
      button.setAttribute('aria-checked', String(isDark));
    }
  });
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
