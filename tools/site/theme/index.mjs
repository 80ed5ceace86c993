/** The site's theme: VitePress's own with the system's fonts, our colours, breadcrumbs, and a signal when its script runs. */

import { useData, withBase } from 'vitepress';
import usual from 'vitepress/theme-without-fonts';
import { h, onMounted } from 'vue';
import './site.css';

/** The path to a page of the reference: its package, its entry point, and its own name. */
const Breadcrumb = {
  setup() {
    const { frontmatter } = useData();
    const step = ([title, address]) =>
      h(
        'li',
        address === undefined
          ? h('span', { 'aria-current': 'page' }, title)
          : h('a', { href: withBase(address) }, title),
      );
    return () => {
      const steps = frontmatter.value.breadcrumb ?? [];
      return steps.length === 0
        ? null
        : h('nav', { class: 'breadcrumb', 'aria-label': 'Breadcrumb' }, h('ol', steps.map(step)));
    };
  },
};

export default {
  extends: usual,
  Layout: () => h(usual.Layout, null, { 'doc-before': () => h(Breadcrumb) }),
  // awaken.mjs waits for it.
  setup: () => onMounted(() => window.dispatchEvent(new Event('umwelt:awake'))),
};
