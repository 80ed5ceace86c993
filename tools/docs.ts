/**
 * Builds a site of the documentation and serves it: `npm run docs`.
 *
 * VitePress builds it. VitePress is about 100 MB that nothing else needs, so npm installs it into .cache/site at the
 * first use. Each name of the reference gets a page, made from docs/api (site-reference.ts). Search runs in the page,
 * without a server (site-search.ts).
 *
 * `-- --build` builds into .cache/site/dist and ends; any file server can serve the result. `--base /umwelt/` sets the path
 * under which the site will be served. `--out FOLDER` sets another output folder within .cache/site.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openRepository } from './checks/repository.ts';
import { listenedOn } from './free-port.ts';
import { installApart } from './install-apart.ts';
import { playgroundPage } from './playground-page.ts';
import { NOT_EXPORTED } from './reference/reference-text.ts';
import { root } from './run-command.ts';
import { headScripts, withLateScript } from './site-heads.ts';
import { PLAYGROUND_FILE, pageGroups, placeInSite, siteText } from './site-pages.ts';
import { type SitePackage, siteReference } from './site-reference.ts';
import {
  fuzziness,
  searchBoost,
  searchedText,
  searchWords,
  WORD_WEIGHTS,
  wordWeight,
} from './site-search.ts';

/** The folder that VitePress is installed in; pages are within it, so that they find VitePress. */
const folder = path.join(root, '.cache/site');
/** The inspector's icon: without one each page requests a missing favicon.ico. */
const ICON = 'packages/inspector/src/page/icon.svg';
/** Code in a sentence is not broken across lines up to this many letters. */
const SHORT_CODE = 24;

const repository = openRepository(root);
/** The files that are pages. */
const files = new Set(repository.files.filter((file) => placeInSite(file) !== undefined));
const { packages, siteLink } = siteReference(repository, addressOf());

const values = parsed();
if (!values.build) await requireFree(values.port);
const out = path.join(folder, values.out);
const pages = values.out === 'dist' ? path.join(folder, 'pages') : `${out}-pages`;

await installApart('tools/site/package.json', folder, 'VitePress (some 100 MB)');
layOut();
// The playground is a file beside the pages, with an address of its own.
mkdirSync(path.join(pages, 'public'), { recursive: true });
writeFileSync(path.join(pages, 'public', PLAYGROUND_FILE), await playgroundPage());
copyFileSync(path.join(root, ICON), path.join(pages, 'public/icon.svg'));
writeFileSync(path.join(pages, '.vitepress/config.mjs'), config());
cpSync(path.join(root, 'tools/site/theme'), path.join(pages, '.vitepress/theme'), { recursive: true });
const exitCode = vitepress('build', pages);
if (exitCode !== 0 || values.build) process.exit(exitCode);
process.exit(vitepress('preview', pages, '--port', values.port));

function parsed() {
  const options = {
    build: { type: 'boolean', default: false },
    base: { type: 'string', default: '/' },
    port: { type: 'string', default: '7605' },
    out: { type: 'string', default: 'dist' },
  } as const;
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    const [said = ''] = (error as Error).message.split('. ');
    return refuse(`${said}; there are --build, --base, --out and --port`);
  }
}

/** Asked before the build, which takes a minute. */
async function requireFree(port: string): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) refuse(`--port is '${port}'; expected 0 to 65535`);
  try {
    await listenedOn(Number(port));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'EADDRINUSE' ? 'it is in use' : message;
    refuse(`no site on port ${port}: ${why}; choose another with --port`);
  }
}

function refuse(reason: string): never {
  process.stderr.write(`docs: ${reason}\n`);
  process.exit(2);
}

/** Writes the pages with the site's links, the pictures, and a first page made from the README. */
function layOut(): void {
  rmSync(pages, { recursive: true, force: true });
  mkdirSync(path.join(pages, '.vitepress'), { recursive: true });
  const address = addressOf();
  for (const file of files) {
    if (file.startsWith('docs/api/')) continue;
    const text = siteText(file, repository.read(file), address, siteLink);
    // The first page's picture is the playground, which needs the space of the outline.
    if (file !== 'README.md') writePage(placeInSite(file)!, text);
    else writePage('index.md', text.replaceAll('docs/pictures/', 'pictures/'), { aside: false });
  }
  for (const { place, markdown, frontMatter } of packages.flatMap((each) => each.pages))
    writePage(place, markdown, frontMatter);
  cpSync(path.join(root, 'docs/pictures'), path.join(pages, 'pictures'), { recursive: true });
}

function writePage(place: string, text: string, frontMatter: object = {}): void {
  const file = path.join(pages, place);
  mkdirSync(path.dirname(file), { recursive: true });
  const settings = Object.entries(frontMatter).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  writeFileSync(file, settings.length === 0 ? text : `---\n${settings.join('')}---\n\n${text}`);
}

function addressOf(): string {
  const { repository } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    repository: { url: string };
  };
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
}

function headingOf(text: string): string {
  return /^# (.+)$/m.exec(text)?.[1] ?? '';
}

function config(): string {
  const { version } = JSON.parse(readFileSync(path.join(root, 'packages/core/package.json'), 'utf8')) as {
    version: string;
  };
  const link = (file: string) =>
    `/${placeInSite(file)!
      .replace(/\.md$/, '')
      .replace(/^index$/, '')}`;
  const sidebar = pageGroups.map(({ title, pages: found }) => ({
    text: title,
    items: found.map(([file, text]) => ({ text, link: link(file) })),
  }));
  const told = new Set(pageGroups.flatMap(({ pages: found }) => found.map(([file]) => file)));
  const more = [...files].filter((file) => file.startsWith('docs/') && !told.has(file));
  sidebar.push({
    text: 'More',
    items: more.map((file) => ({ text: headingOf(repository.read(file)), link: link(file) })),
  });
  const address = addressOf();
  const sidebars = Object.fromEntries(packages.flatMap(referenceSidebars));
  const options = {
    title: 'umwelt',
    description: 'Area of interest for multiplayer game servers in TypeScript',
    lang: 'en',
    base: values.base,
    head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${values.base}icon.svg` }]],
    outDir: out,
    cacheDir: path.join(folder, values.out === 'dist' ? 'vitepress' : `${values.out}-vitepress`),
    cleanUrls: false,
    // Once for all pages, and not in each: they have hundreds of names.
    metaChunk: true,
    ignoreDeadLinks: 'localhostLinks',
    themeConfig: {
      search: { provider: 'local', options: {} },
      sidebar: { ...sidebars, '/': sidebar },
      nav: [
        { text: 'Playground', link: '/playground.html', target: '_self' },
        { text: 'Tutorial', link: link('docs/tutorial.md') },
        { text: 'Guides', link: link('docs/recipes.md') },
        { text: 'Reference', link: link('docs/api/umwelt.md'), activeMatch: '^/api/' },
        { text: version, link: link('CHANGELOG.md') },
      ],
      outline: [2, 3],
      socialLinks: [{ icon: 'github', link: address }],
      editLink: { pattern: '', text: 'Edit this page' },
      // Without a label of its own, the link would be read out with other words than it shows.
      notFound: {
        quote: 'No page of this site has this address. Search for it, or begin at the first page.',
        linkText: 'First page',
        linkLabel: 'First page',
      },
    },
  };
  // Pages are Markdown, not templates: anything that looks like HTML or an expression is text.
  return `const options = ${JSON.stringify(options, null, 2)};
options.themeConfig.editLink.pattern = ({ filePath, frontmatter }) => '${address}/edit/main/' + (frontmatter.source ?? (${sourceOf.toString()})(filePath));
const searchedText = ${searchedText.toString()};
options.themeConfig.search.options = {
  _render: (text, env, md) => md.render(searchedText(env.relativePath, text), env),
  miniSearch: {
    options: { tokenize: ${searchWords.toString()} },
    searchOptions: {
      boostDocument: ${searchBoost.toString()},
      boostTerm: ${wordWeight.toString()},
      fuzzy: ${fuzziness.toString()},
      weights: ${JSON.stringify(WORD_WEIGHTS)},
    },
  },
};
// An example is on the page of each of its names, and the search renders all pages once more.
const highlighted = new Map();
options.markdown = {
  theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  config(md) {
    md.set({ html: false });
    const { highlight } = md.options;
    md.options.highlight = (code, ...words) => {
      const key = JSON.stringify([code, ...words]);
      if (!highlighted.has(key)) highlighted.set(key, highlight(code, ...words));
      return highlighted.get(key);
    };
    const picture = md.renderer.rules.image;
    md.renderer.rules.image = (tokens, index, ...words) => {
      const source = tokens[index].attrGet('src');
      if (source.endsWith('.svg')) return '<span class="drawing" tabindex="0">' + picture(tokens, index, ...words) + '</span>';
      const [file, settings] = source.split('#');
      if (file !== '${PLAYGROUND_FILE}' && !file.endsWith('pictures/inspector.png')) return picture(tokens, index, ...words);
      const address = '${values.base}${PLAYGROUND_FILE}' + (settings === undefined ? '' : '#' + md.utils.escapeHtml(settings));
      return '<umwelt-playground role="group" aria-label="Playground" src="' + address + '"></umwelt-playground>';
    };
    const code = md.renderer.rules.code_inline;
    md.renderer.rules.code_inline = (tokens, index, ...words) => {
      if (tokens[index].content.length <= ${SHORT_CODE}) tokens[index].attrJoin('class', 'short');
      return code(tokens, index, ...words);
    };
    const text = md.renderer.rules.text;
    md.renderer.rules.text = (...words) => text(...words).replaceAll('{{', '&#123;&#123;');
  },
};
options.vue = { template: { compilerOptions: { isCustomElement: (tag) => tag === 'umwelt-playground' } } };
options.transformHtml = (page) => (${withLateScript.toString()})(page, ${JSON.stringify(headScripts())});
export default options;
`;
}

/** The sidebar of a package's pages: all packages, and the names of this one by entry point. */
function referenceSidebars({ pages: [index], parts }: SitePackage): [string, object][] {
  const folder = `/${index!.place.replace(/\.md$/, '')}/`;
  const exported = parts.filter(({ title }) => title !== NOT_EXPORTED);
  // Groups that can be closed are not accessible: VitePress has a button within a button.
  const sidebar = [
    {
      text: 'Reference',
      items: packages.map((each) => ({
        text: each.name,
        link: `/${each.pages[0]!.place.replace(/\.md$/, '')}`,
      })),
    },
    ...exported.map(({ title, names }) => ({
      text: title,
      base: folder,
      items: names.map(([text, place]) => ({ text, link: path.basename(place, '.md') })),
    })),
  ];
  return [folder, `/${index!.place}`].map((key) => [key, sidebar]);
}

/** The source file of a page, as a function that the configuration contains as text. */
function sourceOf(page: string): string {
  if (page === 'index.md') return 'README.md';
  if (page === 'pages.md') return 'docs/README.md';
  return /^(glossary|architecture|contributing|changelog|security)\.md$/.test(page)
    ? page.replace(/^.*(?=\.md$)/, (name) => name.toUpperCase())
    : `docs/${page}`;
}

function vitepress(...words: string[]): number {
  const script = path.join(folder, 'node_modules/vitepress/bin/vitepress.js');
  return spawnSync(process.execPath, [script, ...words], { cwd: folder, stdio: 'inherit' }).status ?? 1;
}
