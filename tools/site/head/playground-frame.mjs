/**
 * `<umwelt-playground src>`: a still picture, in whose place the playground runs as soon as the page is idle and it is seen.
 *
 * It runs in a frame without this site's origin, so that a browser may give it a process of its own, and the page scrolls as if it
 * were not there. Who wants little motion or few bytes gets a button instead, and who has no script the picture.
 */
customElements.define(
  'umwelt-playground',
  class extends HTMLElement {
    connectedCallback() {
      if (this.childElementCount > 0) return;
      if (matchMedia('(prefers-reduced-motion: reduce)').matches || navigator.connection?.saveData) {
        const button = Object.assign(document.createElement('button'), { textContent: 'Run it here' });
        button.addEventListener('click', () => {
          button.remove();
          this.run();
        });
        this.append(button);
        return;
      }
      const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 500));
      const observer = new IntersectionObserver((entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        idle(() => this.run());
      });
      const observe = () => observer.observe(this);
      if (document.readyState === 'complete') observe();
      else addEventListener('load', observe, { once: true });
    }

    run() {
      const frame = Object.assign(document.createElement('iframe'), {
        src: this.getAttribute('src'),
        title: 'Playground: drag an entity and see what it perceives',
        allow: 'clipboard-write',
      });
      frame.sandbox.add('allow-scripts');
      const { classList } = document.documentElement;
      const tellTheme = () =>
        frame.contentWindow?.postMessage({ umweltTheme: classList.contains('dark') ? 'dark' : 'light' }, '*');
      frame.addEventListener('load', tellTheme);
      new MutationObserver(tellTheme).observe(document.documentElement, { attributeFilter: ['class'] });
      addEventListener('message', ({ source, data }) => {
        if (source === frame.contentWindow && data === 'umwelt:moves') frame.dataset.moves = '';
      });
      this.prepend(frame);
    }
  },
);
