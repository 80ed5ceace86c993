/**
 * The reference in the site: a page for each name, and for each package an index of its names.
 *
 * Both are made from the committed page of the package, docs/api/PACKAGE.md, when the site is built. `World` of `umwelt` is
 * at api/umwelt/World. Files that differ only by upper and lower case would be one file on macOS and Windows, and one page
 * for VitePress. So where two names do, the function or constant has its kind in its address: `natsLog` is at
 * api/umwelt-cluster/natsLog-function.
 */
import { type NameText, type ReferenceText, readReferenceText } from './reference/reference-text.ts';
import { firstSentence, kindOf, nameText } from './site-name-page.ts';
import { pageGroups, placeInSite, type SiteLink, siteText } from './site-pages.ts';

/** A page of the site. */
export interface SitePage {
  /** Its path in the site, as a .md file. */
  readonly place: string;
  readonly frontMatter: PageSettings;
  readonly markdown: string;
}

interface PageSettings {
  readonly pageClass: string;
  readonly description: string;
  /** False for a page that is made from many files. */
  readonly editLink: boolean;
  /** The file that declares the name, with the docstring to edit. */
  readonly source?: string;
  /** The path to the page: titles with addresses, and its own title without one. */
  readonly breadcrumb: readonly (readonly [title: string, address?: string])[];
}

/** A package in the site: its pages, and the names for its sidebar. */
export interface SitePackage {
  readonly name: string;
  /** Its index is the first. */
  readonly pages: readonly SitePage[];
  /** By entry point: each name with the path of its page. */
  readonly parts: readonly { title: string; names: readonly (readonly [name: string, place: string])[] }[];
}

/** Text of the committed page with the links that it has on the page at `place`. */
type Linked = (text: string, place: string) => string;

/** From the anchor of each name on the committed page `docs/api/PACKAGE.md` to the path of its page. */
function namePlaces(source: string, text: ReferenceText): Map<string, string> {
  const folder = indexPlace(source).replace(/\.md$/, '');
  const taken = new Set<string>();
  const places = new Map<string, string>();
  for (const name of text.parts.flatMap(({ names }) => names)) {
    const free = [name.name, `${name.name}-${kindOf(name)}`].find((file) => !taken.has(file.toLowerCase()));
    if (free === undefined)
      throw new Error(`${name.name}: two more names differ only by upper and lower case`);
    taken.add(free.toLowerCase());
    places.set(name.anchor, `${folder}/${free}.md`);
  }
  return places;
}

/** All pages of the reference, and where links to the committed pages lead. */
export interface SiteReference {
  /** In the order of the sidebar. */
  readonly packages: readonly SitePackage[];
  readonly siteLink: SiteLink;
}

/** `address`: of the repository, for links to files that are not in the site. */
export function siteReference(
  { files, read }: { files: readonly string[]; read(file: string): string },
  address: string,
): SiteReference {
  const isPage = new Set(files.filter((file) => placeInSite(file) !== undefined));
  const listed = pageGroups.flatMap(({ pages }) => pages.map(([file]) => file));
  const sources = [...new Set([...listed.filter((file) => isPage.has(file)), ...isPage])].filter((file) =>
    file.startsWith('docs/api/'),
  );
  const texts = sources.map((source) => [source, readReferenceText(read(source))] as const);
  const places = new Map(texts.map(([source, text]) => [source, namePlaces(source, text)] as const));
  const siteLink: SiteLink = (file, anchor) =>
    places.get(file)?.get(anchor.slice(1)) ??
    (isPage.has(file) ? `${placeInSite(file)}${anchor}` : undefined);
  const codes = texts.flatMap(([, text]) => errorCodes(text));
  const declaredIn = declarations(files, read);
  const packages = texts.map(([source, text]) =>
    sitePackage(source, text, codes, declaredIn, (given, place) =>
      siteText(source, given, address, siteLink, place),
    ),
  );
  return { packages, siteLink };
}

/** `codes`: all codes of an UmweltError. */
function sitePackage(
  source: string,
  text: ReferenceText,
  codes: readonly string[],
  declaredIn: Declarations,
  linked: Linked,
): SitePackage {
  const places = namePlaces(source, text);
  const index = indexPlace(source);
  const address = `/${index.replace(/\.md$/, '.html')}`;
  const placeOf = ({ anchor }: NameText) => places.get(anchor) ?? index;
  const indexPage: SitePage = {
    place: index,
    frontMatter: {
      editLink: false,
      pageClass: 'reference names',
      description: `Every name of ${text.name}, with units, defaults, errors and an example`,
      breadcrumb: [],
    },
    markdown: linked(indexText(text), index),
  };
  const pageOf = (name: NameText, part: string): SitePage => ({
    place: placeOf(name),
    frontMatter: {
      ...sourceSettings(declaredIn.get(`${text.name} ${name.name}`)),
      pageClass: 'reference',
      description: plain(firstSentence(name.doc)) || `${name.name} of ${text.name}`,
      breadcrumb: [
        [text.name, address],
        ...(part === text.name ? [] : [[part, `${address}#${partAnchor(part)}`] as const]),
        [name.name],
      ],
    },
    markdown: nameText(name, part, conventions(text), codes, (given) => linked(given, placeOf(name))),
  });
  return {
    name: text.name,
    pages: [indexPage, ...text.parts.flatMap(({ title, names }) => names.map((name) => pageOf(name, title)))],
    parts: text.parts
      .filter(({ names }) => names.length > 0)
      .map(({ title, names }) => ({
        title,
        names: names.map((name) => [name.name, placeOf(name)] as const),
      })),
  };
}

/** From a package and a name of it ('umwelt World') to the files that declare the name. */
type Declarations = ReadonlyMap<string, readonly string[]>;

const DECLARATION =
  /^export (?:declare |abstract |async )*(?:class|interface|type|function\*?|const) (\w+)/gm;

function declarations(files: readonly string[], read: (file: string) => string): Declarations {
  const found = new Map<string, string[]>();
  for (const manifest of files.filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))) {
    const { name } = JSON.parse(read(manifest)) as { name: string };
    const folder = manifest.replace('package.json', 'src/');
    for (const file of files.filter((each) => each.startsWith(folder) && each.endsWith('.ts')))
      for (const [, word] of read(file).matchAll(DECLARATION)) {
        const key = `${name} ${word}`;
        found.set(key, [...(found.get(key) ?? []), file]);
      }
  }
  return found;
}

/** Only if it is certain where the name is declared. */
function sourceSettings(found: readonly string[] = []): Pick<PageSettings, 'editLink' | 'source'> {
  const [source] = new Set(found);
  return source !== undefined && new Set(found).size === 1 ? { editLink: true, source } : { editLink: false };
}

function indexPlace(source: string): string {
  return source.replace(/^docs\//, '');
}

/** What holds for all names, without what made the committed page. */
function conventions({ introduction }: ReferenceText): string {
  return introduction.replace(/^Made from [^.]*`\.\s*/, '');
}

function partAnchor(title: string): string {
  return `from-${title.toLowerCase().replace(/[^a-z]+/g, '-')}`;
}

function indexText(text: ReferenceText): string {
  const lines = [`# ${text.name}`, conventions(text)];
  for (const { title, note, names } of text.parts) {
    lines.push(`## ${title} {#${partAnchor(title)}}`);
    if (note !== '') lines.push(note);
    const items = names.map((each) => {
      const sentence = firstSentence(each.doc).replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
      return `- [${each.name}](#${each.anchor}) *${kindOf(each)}*${sentence === '' ? '' : `  \n  ${sentence}`}`;
    });
    if (items.length > 0) lines.push(items.join('\n'));
  }
  return `${lines.join('\n\n')}\n`;
}

/** Markdown as text. */
function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>');
}

/** The codes of an UmweltError; only the page of the core package has them. */
function errorCodes({ parts }: ReferenceText): string[] {
  const codes = parts.flatMap(({ names }) => names).find(({ name }) => name === 'UmweltErrorCode');
  return [...(codes?.signatures.join() ?? '').matchAll(/'([A-Z_]+)'/g)].map(([, each = '']) => each);
}
