/**
 * The reference of one package, as Markdown: every exported name with its docstring, and the types that these names
 * mention.
 *
 * A name is a heading, its signature code, each member a line. A member without a docstring of its own has that of the
 * member before it if both are properties of one type (documented together). Otherwise it has that of the class or
 * interface that it comes from, or that the docstring names by "as in". A member that then has none is a problem. Each
 * exported name has an example: see reference-examples.ts.
 */
import { type Declared, type Member, mentioned, publicDeclarations } from './declared-names.ts';
import { type DocumentedName, docProblems, type ThrownBy } from './doc-rules.ts';
import { headingAnchors } from './heading-anchors.ts';
import { type ExampleProblem, exampleProblems, type ReferenceExample } from './reference-examples.ts';
import { NOT_EXPORTED } from './reference-text.ts';

/** An entry point of a package: its specifier, and its .d.ts file. */
export interface EntryPoint {
  readonly specifier: string;
  readonly file: string;
}

export interface ReferencePage {
  readonly markdown: string;
  /** Names without a docstring, such as `World.tick`. */
  readonly undocumented: readonly string[];
  /** What the docstrings of exported names leave out: see doc-rules.ts. */
  readonly docProblems: readonly string[];
  /** Exported names without an example, and what is wrong with examples. */
  readonly exampleProblems: readonly ExampleProblem[];
}

/** From names of other packages that have a page here to the links to their names. */
export type OtherPages = ReadonlyMap<string, NameLinks>;

/** From a name to a link to it. */
export type NameLinks = ReadonlyMap<string, string>;

/** Links to all names that a package exports, whose reference is the file `page`. */
export function linksToNames(name: string, entries: readonly EntryPoint[], page: string): NameLinks {
  const sections = entries.map(({ specifier, file }) => ({ specifier, names: publicDeclarations(file) }));
  return linksWithin(name, sections, [], page);
}

interface Section {
  readonly specifier: string;
  readonly names: readonly Declared[];
}

function linksWithin(
  name: string,
  sections: readonly Section[],
  hidden: readonly Declared[],
  page: string,
): NameLinks {
  const headings = [
    { heading: name },
    ...sections.flatMap(({ specifier, names }) => [
      { heading: specifier },
      ...names.map((each) => ({ heading: each.name, isName: true })),
    ]),
    { heading: NOT_EXPORTED },
    ...hidden.map((each) => ({ heading: each.name, isName: true })),
  ];
  const anchors = headingAnchors(headings.map(({ heading }) => heading));
  return new Map(
    headings.flatMap((each, i) => ('isName' in each ? [[each.heading, `${page}#${anchors[i]}`]] : [])),
  );
}

export function referencePage(
  name: string,
  entries: readonly EntryPoint[],
  others: OtherPages = new Map(),
  examples: readonly ReferenceExample[] = [],
  thrownBy: ThrownBy = () => new Set(),
): ReferencePage {
  const sections = entries.map(({ specifier, file }) => ({ specifier, names: publicDeclarations(file) }));
  const exported = new Map(sections.flatMap(({ names }) => names.map((each) => [each.name, each] as const)));
  const hidden = hiddenNames(exported);
  const mentionedOnly = [...hidden.values()].sort((first, second) => (first.name < second.name ? -1 : 1));
  const links = linksWithin(name, sections, mentionedOnly, '');
  const undocumented: string[] = [];
  const documented: DocumentedName[] = [];
  const lines = [
    `# ${name}`,
    'Made from the docstrings by `npm run check -- --update`. Distances are in world units, angles in radians. A call that throws, throws' +
      ' an `UmweltError` with the named code, or the named error such as `TypeError`, and changes nothing.',
  ];
  const exampleOf = new Map(examples.flatMap((each) => each.names.map((shown) => [shown, each] as const)));
  const page = { exported, links, others, undocumented, documented, exampleOf };
  for (const { specifier, names } of sections) {
    if (names.length === 0) {
      lines.push(`## ${specifier}`, 'No names: importing it is enough.');
      continue;
    }
    lines.push(`## ${specifier}`, index(names, page));
    for (const each of names) lines.push(...nameLines(each, page, true));
  }
  if (hidden.size > 0) {
    lines.push(`## ${NOT_EXPORTED}`, 'Types that the names above mention. They cannot be imported by name.');
    for (const each of mentionedOnly) lines.push(...nameLines(each, page, each.kind !== 'class'));
  }
  return {
    markdown: `${lines.join('\n\n')}\n`,
    undocumented,
    docProblems: docProblems(documented, thrownBy),
    exampleProblems: exampleProblems([...exported.keys()], examples),
  };
}

interface Page {
  readonly exported: ReadonlyMap<string, Declared>;
  readonly links: NameLinks;
  readonly others: OtherPages;
  /** Names without a docstring are added to this; only exported ones. */
  readonly undocumented: string[];
  /** Exported names are added to this, with the docstrings that their members have here. */
  readonly documented: DocumentedName[];
  /** From an exported name to its example. */
  readonly exampleOf: ReadonlyMap<string, ReferenceExample>;
}

/**
 * Types that exported names mention, directly or indirectly. Members of classes that are not exported are not followed.
 */
function hiddenNames(exported: ReadonlyMap<string, Declared>): Map<string, Declared> {
  const hidden = new Map<string, Declared>();
  const queue = [...exported.values()];
  for (const each of queue) {
    if (each.kind === 'class' && hidden.has(each.name)) continue;
    for (const word of each.mentions) {
      const found = mentioned(each.file, word);
      if (found === undefined || 'package' in found || exported.has(word) || hidden.has(word)) continue;
      hidden.set(word, found);
      queue.push(found);
    }
  }
  return hidden;
}

function index(names: readonly Declared[], { links }: Page): string {
  return names.map(({ name }) => `[${name}](${links.get(name)})`).join(' · ');
}

function nameLines(each: Declared, page: Page, isWhole: boolean): string[] {
  const isExported = page.exported.has(each.name);
  const members = isWhole ? membersWithDocs(each, page) : [];
  if (isExported) {
    if (each.doc === '') page.undocumented.push(each.name);
    for (const { member, doc } of members)
      if (doc === '' && !member.isConstructor) page.undocumented.push(`${each.name}.${member.name}`);
    page.documented.push({ declared: each, members });
  }
  const lines = [`### ${each.name}`, ['```ts', ...each.signatures, '```'].join('\n')];
  if (each.doc !== '') lines.push(prose(each.doc));
  if (members.length > 0) lines.push(memberLines(members));
  const example = isExported ? exampleLines(each.name, page) : '';
  if (example !== '') lines.push(example);
  const mentions = mentionLinks(each, page);
  if (mentions !== '') lines.push(`Mentions ${mentions}.`);
  return lines;
}

/** The example at the first of its names; at the others a link to it; '' for none. */
function exampleLines(name: string, { exampleOf, links }: Page): string {
  const example = exampleOf.get(name);
  const [first = ''] = example?.names ?? [];
  if (example === undefined) return '';
  if (first === name) return `Example:\n\n\`\`\`ts\n${example.code}\n\`\`\``;
  return `Example: at [${first}](${links.get(first)}).`;
}

function membersWithDocs(each: Declared, page: Page): DocumentedName['members'] {
  let previous: Member | undefined;
  return each.members.map((member) => {
    const doc = memberDoc(each, member, previous, page);
    previous = { ...member, doc };
    return { member, doc };
  });
}

function memberLines(members: DocumentedName['members']): string {
  return members
    .map(({ member, doc }) => {
      const text = doc === '' ? '' : `  \n  ${prose(doc).replaceAll('\n', '\n  ')}`;
      return `- \`${member.signature}\`${text}`;
    })
    .join('\n');
}

/** The docstring of a member: its own, or one that the rules at the top of this file give it. */
function memberDoc(each: Declared, member: Member, previous: Member | undefined, page: Page): string {
  if (member.doc !== '') return member.doc;
  const inherited = inheritedDoc(each, member.name, page, 0);
  if (inherited !== '') return inherited;
  const [type, before] = [typeOf(member), previous === undefined ? undefined : typeOf(previous)];
  return type !== undefined && type === before ? (previous?.doc ?? '') : '';
}

/** A docstring from what its type extends or implements, or, if its docstring says "as in `X`", from that. */
function inheritedDoc(each: Declared, name: string, page: Page, depth: number): string {
  const head = each.signatures[0] ?? '';
  const bases = [...(/\b(?:extends|implements)\b(.+)/.exec(head)?.[1] ?? '').matchAll(/[A-Z]\w*/g)].map(
    ([word]) => word,
  );
  const named = [...each.doc.matchAll(/\bas in `([A-Z]\w*)`/gi)].map((match) => match[1] ?? '');
  for (const word of [...bases, ...named]) {
    const parent = word === each.name ? undefined : (page.exported.get(word) ?? mentioned(each.file, word));
    if (parent === undefined || 'package' in parent || depth > 4) continue;
    const found = parent.members.find((member) => member.name === name && member.doc !== '');
    const doc = found?.doc ?? inheritedDoc(parent, name, page, depth + 1);
    if (doc !== '') return doc;
  }
  return '';
}

/** The text after the colon of a property; `undefined` if it is no property. */
function typeOf({ name, signature }: Member): string | undefined {
  const getter = /^(?:static )?get \w+\(\): (.+)$/.exec(signature);
  if (getter !== null) return getter[1];
  const property = new RegExp(`^(?:(?:static|readonly|declare|abstract) )*${name}\\??: (.+)$`).exec(
    signature,
  );
  return name === '' ? undefined : property?.[1];
}

function mentionLinks({ name, file, mentions }: Declared, { links, others }: Page): string {
  const found: string[] = [];
  for (const word of [...mentions].sort()) {
    if (word === name) continue;
    const own = links.get(word);
    const origin = own === undefined ? mentioned(file, word) : undefined;
    const link =
      own ??
      (origin !== undefined && 'package' in origin ? others.get(origin.package)?.get(word) : undefined);
    if (link !== undefined) found.push(`[${word}](${link})`);
  }
  return found.join(', ');
}

/** A docstring as Markdown: tags as words, angle brackets outside code escaped as text. */
function prose(doc: string): string {
  return doc
    .replace(/^@throws (\S+) /gm, 'Throws `$1`: ')
    .replace(/^@deprecated/gm, '**Deprecated.**')
    .replace(/^@experimental/gm, '**Experimental.**')
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('>', '&gt;')))
    .join('');
}
