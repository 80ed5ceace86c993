/**
 * The files of the repository that are pages of the site, their order, and where links between them lead there.
 *
 * A page keeps its Markdown as it is in the repository, so that it reads well in both places. The differences are made
 * here: links to files that are not pages lead to the repository, comments are left out, pages from the root are beside
 * the others, and a comment such as `<!-- playground: cap=6 -->` becomes the playground with these settings.
 */
import path from 'node:path';

/** A heading of the sidebar with its pages: the file in the repository, and its title in the sidebar. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly (readonly [file: string, title: string])[];
}

export const pageGroups: readonly PageGroup[] = [
  {
    title: 'Start',
    pages: [
      ['docs/tutorial.md', 'Tutorial: a game in twenty minutes'],
      ['docs/bundling.md', 'Installing and bundling'],
      ['GLOSSARY.md', 'Glossary'],
      ['docs/README.md', 'All pages'],
    ],
  },
  {
    title: 'Guides',
    pages: [
      ['docs/recipes.md', 'Recipes, by game and by server'],
      ['docs/interest.md', 'Interest'],
      ['docs/senses-and-stealth.md', 'Senses and stealth'],
      ['docs/channels.md', 'Channels'],
      ['docs/attachments.md', 'Attachments'],
      ['docs/gateway.md', 'Gateway'],
      ['docs/colyseus.md', 'Colyseus'],
      ['docs/serve.md', 'Serve, for other languages'],
      ['docs/cluster.md', 'Cluster'],
      ['docs/operations.md', 'Running it'],
      ['docs/recording.md', 'Recording'],
      ['docs/inspector.md', 'Inspector'],
      ['docs/threads.md', 'Threads'],
      ['docs/choosing-a-detector.md', 'Choosing a detector'],
      ['docs/writing-a-detector.md', 'Writing a detector'],
    ],
  },
  {
    title: 'Recipes',
    pages: [
      ['docs/recipes/regions.md', 'Regions and chunks'],
      ['docs/recipes/floors.md', 'Floors'],
      ['docs/recipes/doors.md', 'Doors that join rooms'],
      ['docs/recipes/distances-by-type.md', 'Distances by type'],
      ['docs/recipes/adaptive-ranges.md', 'Ranges that adapt'],
      ['docs/recipes/instances.md', 'Instances and phases'],
      ['docs/recipes/stealth-by-level.md', 'Stealth by level'],
      ['docs/recipes/cone-of-sight.md', 'A cone of sight'],
      ['docs/recipes/filter-while-sending.md', 'A filter of your own'],
      ['docs/recipes/events.md', 'Events'],
      ['docs/recipes/sleeping-npcs.md', 'NPCs that sleep'],
      ['docs/recipes/spectators.md', 'Spectators'],
      ['docs/recipes/columns.md', 'Columns by slot'],
      ['docs/recipes/ecs.md', 'An entity component system'],
    ],
  },
  {
    title: 'Coming from',
    pages: [['docs/migrating.md', 'Your grid, kdbush, Colyseus, nengi, Unity, Unreal']],
  },
  {
    title: 'Reference',
    pages: [
      ['docs/api/umwelt.md', 'umwelt'],
      ['docs/api/umwelt-gateway.md', '@umwelt/gateway'],
      ['docs/api/umwelt-client.md', '@umwelt/client'],
      ['docs/api/umwelt-colyseus.md', '@umwelt/colyseus'],
      ['docs/api/umwelt-inspector.md', '@umwelt/inspector'],
      ['docs/api/umwelt-scenarios.md', '@umwelt/scenarios'],
      ['docs/api/umwelt-cluster.md', '@umwelt/cluster'],
      ['docs/frame-format.md', 'Frame format'],
    ],
  },
  {
    title: 'The project',
    pages: [
      ['docs/speed.md', 'Speed'],
      ['docs/benchmarks.md', 'Benchmarks'],
      ['ARCHITECTURE.md', 'Architecture'],
      ['CONTRIBUTING.md', 'Contributing'],
      ['CHANGELOG.md', 'Changelog'],
      ['docs/versions.md', 'Versions'],
      ['docs/releasing.md', 'Releasing'],
    ],
  },
];

/** The path of a repository's file in the site, as a .md file; `undefined` if the file is not a page. */
export function placeInSite(file: string): string | undefined {
  if (file === 'README.md') return 'index.md';
  if (file === 'docs/README.md') return 'pages.md';
  if (file.startsWith('docs/') && file.endsWith('.md')) return file.slice('docs/'.length);
  return /^(GLOSSARY|ARCHITECTURE|CONTRIBUTING|CHANGELOG|SECURITY)\.md$/.test(file)
    ? file.toLowerCase()
    : undefined;
}

/** A comment that stands for the playground, and the settings that follow the `#` of its address. */
const PLAYGROUND_COMMENT = /<!-- playground: ([\w=&.-]+) -->/g;

/** The settings of all playgrounds of a page, in order. */
export function playgroundsOf(text: string): string[] {
  return [...text.matchAll(PLAYGROUND_COMMENT)].map(([, settings = '']) => settings);
}

/** The address of the playground in the site, within pages; `tools/docs.ts` makes an element of a picture of it. */
export const PLAYGROUND_FILE = 'playground.html';

/**
 * The path in the site, with its anchor, of a file of the repository and an anchor in it ('' for none, else with '#');
 * `undefined` if the file is not in the site.
 */
export type SiteLink = (file: string, anchor: string) => string | undefined;

/** The text of a file as the site has it on the page `from`. */
export function siteText(
  file: string,
  text: string,
  address: string,
  siteLink: SiteLink,
  from = placeInSite(file) ?? file,
): string {
  const shown = text.replace(PLAYGROUND_COMMENT, `![Playground](${PLAYGROUND_FILE}#$1)`);
  const parts = shown.replace(/<!--[\s\S]*?-->\n?/g, '').split(/(^```[\s\S]*?^```$|`[^`\n]*`)/m);
  return parts
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/(!\[[^\]]*)?\]\(([^)\s]+)\)/g, (whole, picture: string | undefined, link: string) =>
            picture === undefined ? `](${rewritten(link)})` : whole,
          ),
    )
    .join('');

  function rewritten(link: string): string {
    if (/^(https?:|mailto:)/.test(link)) return link;
    const [, target = '', anchor = ''] = /^([^#]*)(#.*)?$/.exec(link) ?? [];
    const wanted = target === '' ? file : path.posix.join(path.posix.dirname(file), target);
    const place = siteLink(wanted, anchor);
    if (place === undefined) return `${address}/blob/main/${wanted}${anchor}`;
    if (place.startsWith(`${from}#`)) return place.slice(from.length);
    const relative = path.posix.relative(path.posix.dirname(from), place);
    return relative.startsWith('.') ? relative : `./${relative}`;
  }
}
