/** The site's theme: VitePress's own with the system's fonts, our colours, and a signal when its script runs. */

import usual from 'vitepress/theme-without-fonts';
import { onMounted } from 'vue';
import './site.css';

export default {
  extends: usual,
  // awaken.mjs waits for it.
  setup: () => onMounted(() => window.dispatchEvent(new Event('umwelt:awake'))),
};
