/**
 * The script in the head of each of the site's pages, so that a page can be read before its main script loads:
 * tools/site/head says why.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { minifySync } from 'rolldown/utils';
import { root } from './run-command.ts';

/** Short, because it is in all pages. It contains SCRIPTS and PARTS, which `withLateScript` fills in. */
export function headScripts(): string {
  const folder = path.join(root, 'tools/site/head');
  return ['awaken.mjs', 'playground-frame.mjs']
    .map((name) => minifySync(name, readFileSync(path.join(folder, name), 'utf8')).code)
    .join('\n');
}

/**
 * A page of VitePress whose main script is loaded later, by the script in its head. The configuration contains this function as
 * text, so it must use nothing from its scope.
 */
export function withLateScript(page: string, head: string): string {
  // VitePress makes 404.html without a text, which its script adds.
  if (page.includes('<div id="app"></div>')) return page;
  const scripts: string[] = [];
  const parts: string[] = [];
  const rest = page
    .replace(/ *<script type="module" src="([^"]+)"><\/script>\n?/g, (_, address: string) => {
      scripts.push(address);
      return '';
    })
    .replace(/ *<link rel="modulepreload" href="([^"]+)">\n?/g, (_, address: string) => {
      parts.push(address);
      return '';
    });
  if (scripts.length === 0) throw new Error('the page has no script that could be brought later');
  const filled = head
    .replace(/\bSCRIPTS\b/, () => JSON.stringify(scripts))
    .replace(/\bPARTS\b/, () => JSON.stringify([...scripts, ...parts]));
  return rest.replace('</head>', () => `<script>${filled}</script>\n  </head>`);
}
