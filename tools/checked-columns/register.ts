/**
 * Checks the writes of all packages' sources that this process loads from now on: for `node --import`.
 *
 * Vite loads sources itself: there the plugin in vitest.config.ts transforms them, and this module provides the check
 * that they call.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isChecked, provideCheck, withCheckedWrites } from './checked-source.ts';

provideCheck();
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.startsWith('file:') || !isChecked(fileURLToPath(url)) || !loaded.source) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : new TextDecoder().decode(source);
    return { ...loaded, source: withCheckedWrites(text) };
  },
});
