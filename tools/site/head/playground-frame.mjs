/**
 * `<umwelt-playground src>`: a still picture that is replaced by the running playground once the page is idle and the
 * picture is visible.
 *
 * The playground runs in a frame without this site's origin, so that a browser may give it a process of its own and the
 * page scrolls without delay. A reader who prefers reduced motion or reduced data gets a button instead, and without
 * scripts the picture stays.
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
