/** The playground's page as one text: Vite bundles it, and script and style are put into it. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './run-command.ts';

const folder = fileURLToPath(new URL('../packages/inspector/playground/', import.meta.url));
/** The engine as browsers get it, from its source: without the JavaScript kernels, which are a tenth of the page. */
const lean = path.join(root, 'packages/core/src/lean.ts');

/**
 * Vite is imported only when a page is built, so that a suite that is skipped because there is no browser does not load
 * it.
 */
export async function playgroundPage(): Promise<string> {
  const { build, defaultClientConditions } = await import('vite');
  const results = await build({
    configFile: false,
    root: folder,
    base: './',
    logLevel: 'silent',
    resolve: {
      conditions: ['umwelt:source', ...defaultClientConditions],
      alias: [{ find: /^umwelt$/, replacement: lean }],
    },
    // Without places in the source, which a test's build would have and a user's would not.
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact', development: false } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // Inlined, whatever its size.
      assetsInlineLimit: () => true,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  const [result] = Array.isArray(results) ? results : [results];
  if (result === undefined || !('output' in result)) throw new Error('nothing was built');
  const texts = new Map<string, string>();
  for (const file of result.output)
    texts.set(file.fileName, file.type === 'chunk' ? file.code : String(file.source));
  const page = texts.get('index.html');
  if (page === undefined) throw new Error(`no page was built, but ${[...texts.keys()].join(', ')}`);
  return page
    .replace(/<script type="module"[^>]* src="\.\/([^"]+)"><\/script>/, (_, name) => {
      // Escaped, so that the script cannot end early.
      const code = wanted(texts, name).replaceAll('</script', '<\\/script');
      return `<script type="module">${code}</script>`;
    })
    .replace(
      /<link rel="stylesheet"[^>]* href="\.\/([^"]+)">/,
      (_, name) => `<style>${wanted(texts, name)}</style>`,
    )
    .replace(/href="\.\/([^"]+\.svg)"/, (_, name) => {
      return `href="data:image/svg+xml,${encodeURIComponent(wanted(texts, name))}"`;
    });
}

function wanted(texts: ReadonlyMap<string, string>, name: string): string {
  const text = texts.get(name);
  if (text === undefined) throw new Error(`the page names ${name}, which was not built`);
  return text;
}
