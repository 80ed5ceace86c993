/**
 * The reference in the site: a page for each name, and for each package an index of its names.
 *
 * Both are made from the committed page of the package, docs/api/PACKAGE.md, when the site is built. `World` of `umwelt` is
 * at api/umwelt/World. Files that differ only by upper and lower case would be one file on macOS and Windows, and one page
 * for VitePress. So where two names do, the function or constant has its kind in its address: `natsLog` is at
 * api/umwelt-cluster/natsLog-function. A member's anchor is its name as it is, and no heading of a page has such an anchor.
 */
import {
  type MemberText,
  type NameText,
  NOT_EXPORTED,
  type ReferenceText,
  readReferenceText,
} from './reference/reference-text.ts';
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
  /** Generated pages have no source to edit. */
  readonly editLink: false;
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
  const packages = texts.map(([source, text]) =>
    sitePackage(source, text, codes, (given, place) => siteText(source, given, address, siteLink, place)),
  );
  return { packages, siteLink };
}

/** `codes`: all codes of an UmweltError. */
function sitePackage(
  source: string,
  text: ReferenceText,
  codes: readonly string[],
  linked: Linked,
): SitePackage {
  const places = namePlaces(source, text);
  const index = indexPlace(source);
  const address = `/${index.replace(/\.md$/, '.html')}`;
  const placeOf = ({ anchor }: NameText) => places.get(anchor) ?? index;
  const settings = { editLink: false, pageClass: 'reference' } as const;
  const indexPage: SitePage = {
    place: index,
    frontMatter: {
      ...settings,
      pageClass: 'reference names',
      description: `Every name of ${text.name}, with units, defaults, errors and an example`,
      breadcrumb: [],
    },
    markdown: linked(indexText(text), index),
  };
  const pageOf = (name: NameText, part: string): SitePage => ({
    place: placeOf(name),
    frontMatter: {
      ...settings,
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

function indexPlace(source: string): string {
  return source.replace(/^docs\//, '');
}

/** What holds for all names, without what made the committed page. */
function conventions({ introduction }: ReferenceText): string {
  return introduction.replace(/^Made from [^.]*`\.\s*/, '');
}

function kindOf({ signatures }: NameText): string {
  const [, word = ''] = /^(?:abstract )?(\w+)/.exec(signatures[0] ?? '') ?? [];
  return word === 'const' ? 'constant' : word;
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

function nameText(
  name: NameText,
  part: string,
  note: string,
  codes: readonly string[],
  linked: (text: string) => string,
): string {
  const isType = /^(interface|type) /.test(name.signatures[0] ?? '');
  const lines = [`# ${name.name} {#${name.name}}`];
  if (part === NOT_EXPORTED) lines.push('*Not exported: other names mention it, and it cannot be imported.*');
  if (name.doc !== '') lines.push(linked(name.doc));
  const imported =
    part === NOT_EXPORTED ? [] : [`import ${isType ? 'type ' : ''}{ ${name.name} } from '${part}';`, ''];
  lines.push(code([...imported, ...name.signatures]));
  if (name.example !== '') lines.push(heading('Example'), code([name.example]));
  const members = membersByName(name.members);
  const bases = baseLinks(name);
  if (members.size > 0 || bases !== '') lines.push(heading('Members'));
  if (bases !== '') lines.push(linked(`${members.size > 0 ? 'These, and those' : 'Those'} of ${bases}.`));
  for (const [title, overloads] of members) {
    const docs = new Set(overloads.map(({ doc }) => doc).filter((doc) => doc !== ''));
    lines.push(`### ${escaped(title)} {#${memberAnchor(title)}}`);
    lines.push(code(overloads.map(({ signature }) => signature)), ...[...docs].map(linked));
  }
  // The type of all codes says what they mean.
  const errors = kindOf(name) === 'type' ? [] : errorLines(name, members, codes);
  if (errors.length > 0) {
    lines.push(
      heading('Errors'),
      linked('Codes of [UmweltError](umwelt.md#umwelterror):'),
      errors.join('\n'),
    );
  }
  if (name.mentions !== '') lines.push(heading('Mentions'), linked(name.mentions));
  lines.push(`*${note}*`);
  return `${lines.join('\n\n')}\n`;
}

/** Links to what its members come from, too; '' for none. */
function baseLinks({ signatures, mentions }: NameText): string {
  const head =
    /\bextends\b([^{]+)/.exec(/^(?:class|interface) .*/.exec(signatures[0] ?? '')?.[0] ?? '')?.[1] ?? '';
  const words = new Set(head.replace(/\bimplements\b.*/, '').match(/\w+/g));
  const links = [...mentions.matchAll(/\[(\w+)\]\([^)]*\)/g)].filter(([, word = '']) => words.has(word));
  return links.map(([link]) => link).join(', ');
}

/** A heading of every page. A hyphen at the end keeps its anchor apart from those of members. */
function heading(title: string): string {
  return `## ${title} {#${title.toLowerCase()}-}`;
}

function code(lines: readonly string[]): string {
  return ['```ts', ...lines, '```'].join('\n');
}

/** Overloads, and a getter with its setter, are one. */
function membersByName(members: readonly MemberText[]): Map<string, MemberText[]> {
  const found = new Map<string, MemberText[]>();
  for (const member of members) {
    const title = memberName(member.signature);
    found.set(title, [...(found.get(title) ?? []), member]);
  }
  return found;
}

/** Its name; of what has none, what is written instead of one. */
function memberName(signature: string): string {
  const bare = signature.replace(
    /^(?:(?:static|readonly|abstract|declare|override|async|get|set) (?![(:?]))+/,
    '',
  );
  if (bare.startsWith('(') || bare.startsWith('<')) return 'call';
  return /^\[[^\]]*\]|^[\w$#]+/.exec(bare)?.[0] ?? bare;
}

function memberAnchor(title: string): string {
  return title.replace(/[^\w$.]+/g, '');
}

function escaped(text: string): string {
  return text.replace(/[[\]_*$<>]/g, '\\$&');
}

/** A line for each code that its docstrings name: its members with that code. */
function errorLines(
  { doc }: NameText,
  members: ReadonlyMap<string, readonly MemberText[]>,
  codes: readonly string[],
): string[] {
  return codes.flatMap((each) => {
    const quoted = `\`${each}\``;
    const at = [...members].filter(([, overloads]) =>
      overloads.some((member) => member.doc.includes(quoted)),
    );
    const links = at.map(([title]) => `[${escaped(title)}](#${memberAnchor(title)})`);
    return links.length > 0 || doc.includes(quoted)
      ? [`- ${[quoted, links.join(', ')].filter(Boolean).join(': ')}`]
      : [];
  });
}

/** The first sentence of a docstring, on one line. */
function firstSentence(doc: string): string {
  const [paragraph = ''] = doc.split('\n\n', 1);
  const line = paragraph.replaceAll('\n', ' ');
  return /^.*?[.!?](?= [A-Z`[]|$)/.exec(line)?.[0] ?? line;
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
