/**
 * The text of the site's page for one name of the reference: how it is imported, its signature and docstring, an example, its
 * members, the errors by code, and the names that it mentions.
 *
 * Each member has a heading, so that a link, the outline and the search lead to it. Its anchor is its name as it is, and no
 * other heading of a page has such an anchor.
 */
import { type MemberText, type NameText, NOT_EXPORTED } from './reference/reference-text.ts';

/** `part`: its entry point, or NOT_EXPORTED. `note`: what holds for all names. `codes`: all codes of an UmweltError. */
export function nameText(
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
      linked('By code; [UmweltErrorCode](umwelt.md#umwelterrorcode) says what each means.'),
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

/**
 * A line for each code that its docstrings name: its members with that code, also those that throw as another one does; and
 * first, whether all calls do.
 */
function errorLines(
  { doc }: NameText,
  members: ReadonlyMap<string, readonly MemberText[]>,
  codes: readonly string[],
): string[] {
  const docs = new Map(
    [...members].map(([title, overloads]) => [title, overloads.map((each) => each.doc).join('\n')]),
  );
  return codes.flatMap((each) => {
    const quoted = `\`${each}\``;
    const isInAll = members.size > 0 && doc.includes(quoted);
    const links = [...docs.keys()]
      .filter((title) => docsOf(title, docs).includes(quoted))
      .map((title) => `[${escaped(title)}](#${memberAnchor(title)})`);
    const at = [...(isInAll ? ['as said above'] : []), ...links];
    return at.length > 0 || doc.includes(quoted)
      ? [`- ${[quoted, at.join(', ')].filter(Boolean).join(': ')}`]
      : [];
  });
}

/** "Throws as `add` does", "As `ids`, but ...", "and as `new Channels`". */
const THROWS_AS = /(?:\b(?:Throws|Rejects)\b[^.]*?\bas|^As|\bOtherwise as) `(new )?(\w+)/gm;

/** The docstring of a member, and of those members that it refers to for what it throws. */
function docsOf(title: string, docs: ReadonlyMap<string, string>, seen = new Set<string>()): string {
  const doc = docs.get(title) ?? '';
  if (seen.has(title)) return '';
  seen.add(title);
  const referred = [...doc.matchAll(THROWS_AS)].map(([, creation, name = '']) =>
    creation ? 'constructor' : name,
  );
  return [doc, ...referred.map((each) => docsOf(each, docs, seen))].join('\n');
}

/** 'class', 'interface', 'type', 'function' or 'constant'. */
export function kindOf({ signatures }: NameText): string {
  const [, word = ''] = /^(?:abstract )?(\w+)/.exec(signatures[0] ?? '') ?? [];
  return word === 'const' ? 'constant' : word;
}

/** The first sentence of a docstring, on one line. */
export function firstSentence(doc: string): string {
  const [paragraph = ''] = doc.split('\n\n', 1);
  const line = paragraph.replaceAll('\n', ' ');
  return /^.*?[.!?](?= [A-Z`[]|$)/.exec(line)?.[0] ?? line;
}
