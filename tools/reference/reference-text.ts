/**
 * Reads a committed page of the reference back into its names: the reader of what reference-page.ts writes.
 *
 * The site has a page for each name (site-reference.ts). It is made from the committed pages and not from the declarations,
 * so that the site needs no compiled packages. `npm run check` holds the committed pages equal to the declarations, so
 * both are the same. A test writes a page and reads it back.
 */
import { headingAnchors } from './heading-anchors.ts';

/** The page of one package. */
export interface ReferenceText {
  readonly name: string;
  /** What holds for all names: units, errors. */
  readonly introduction: string;
  readonly parts: readonly ReferencePart[];
}

/** The names of one entry point; or those that are mentioned and not exported. */
export interface ReferencePart {
  /** The specifier of the entry point, or NOT_EXPORTED. */
  readonly title: string;
  /** A sentence in place of names, or about them; '' for none. */
  readonly note: string;
  readonly names: readonly NameText[];
}

/** All texts are Markdown. */
export interface NameText {
  readonly name: string;
  /** Where it is on the page. */
  readonly anchor: string;
  /** A line for each. */
  readonly signatures: readonly string[];
  /** '' for none. */
  readonly doc: string;
  readonly members: readonly MemberText[];
  /** Its example, also if the page shows it at another name; '' for none. */
  readonly example: string;
  /** Links, with commas; '' for none. */
  readonly mentions: string;
}

export interface MemberText {
  readonly signature: string;
  readonly doc: string;
}

/** The heading of the types that exported names mention. */
export const NOT_EXPORTED = 'Named, not exported';

const MEMBER = /^- `(.+)`(?: {2})?$/;
const EXAMPLE_AT = /^Example: at \[(\w+)\]/;

export function readReferenceText(markdown: string): ReferenceText {
  const sections = sectionsOf(markdown);
  const anchors = headingAnchors(sections.map(({ heading }) => heading));
  const [first, ...others] = sections;
  if (first?.level !== 1) throw new Error('a page of the reference begins with its heading');
  const parts: { title: string; note: string; names: NameText[] }[] = [];
  const shownAt = new Map<NameText, string>();
  for (const [index, { level, heading, text }] of others.entries()) {
    if (level === 2) {
      parts.push({ title: heading, note: text, names: [] });
      continue;
    }
    const { read, at } = readName(heading, anchors[index + 1] ?? '', text);
    if (at !== undefined) shownAt.set(read, at);
    parts.at(-1)?.names.push(read);
  }
  const all = parts.flatMap(({ names }) => names);
  const exampleOf = (name: NameText) =>
    name.example || (all.find((other) => other.name === shownAt.get(name))?.example ?? '');
  return {
    name: first.heading,
    introduction: first.text,
    parts: parts.map(({ title, note, names }) => ({
      title,
      // Of a list of links only; the site has its own.
      note: note.startsWith('[') ? '' : note,
      names: names.map((name) => ({ ...name, example: exampleOf(name) })),
    })),
  };
}

interface Section {
  readonly level: number;
  readonly heading: string;
  readonly text: string;
}

/** Splits at headings of the first three levels, outside code. */
function sectionsOf(markdown: string): Section[] {
  const found: { level: number; heading: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? null : /^(#{1,3}) (.+)$/.exec(line);
    if (heading === null) found.at(-1)?.lines.push(line);
    else found.push({ level: heading[1]?.length ?? 0, heading: heading[2] ?? '', lines: [] });
  }
  return found.map(({ lines, ...rest }) => ({ ...rest, text: lines.join('\n').trim() }));
}

/** `at`: the name at which its example is shown, if that is another. */
function readName(name: string, anchor: string, text: string): { read: NameText; at: string | undefined } {
  const blocks = blocksOf(text);
  const signatures = codeOf(blocks.shift() ?? '').split('\n');
  const mentions = /^Mentions (\[[\s\S]*)\.$/.exec(blocks.at(-1) ?? '')?.[1] ?? '';
  if (mentions !== '') blocks.pop();
  let example = '';
  const at = EXAMPLE_AT.exec(blocks.at(-1) ?? '')?.[1];
  if (at !== undefined) blocks.pop();
  else if (blocks.at(-2) === 'Example:') [, example = ''] = blocks.splice(-2);
  const begin = blocks.findIndex((block) => MEMBER.test(block.split('\n', 1)[0] ?? ''));
  const members = begin < 0 ? [] : readMembers(blocks.splice(begin).join('\n\n'));
  const read = {
    name,
    anchor,
    signatures,
    doc: blocks.join('\n\n'),
    members,
    example: codeOf(example),
    mentions,
  };
  return { read, at };
}

/** Parts between empty lines; code is one. */
function blocksOf(text: string): string[] {
  return text.split(/(^```[\s\S]*?^```$)|\n{2,}/m).flatMap((part) => {
    const block = part?.replace(/^\n+|\n+$/g, '') ?? '';
    return block === '' ? [] : [block];
  });
}

function codeOf(block: string): string {
  return block.replace(/^```ts\n|\n```$/g, '');
}

function readMembers(text: string): MemberText[] {
  const found: { signature: string; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const member = MEMBER.exec(line);
    if (member === null) found.at(-1)?.lines.push(line.replace(/^ {2}/, ''));
    else found.push({ signature: member[1] ?? '', lines: [] });
  }
  return found.map(({ signature, lines }) => ({ signature, doc: lines.join('\n').trim() }));
}
