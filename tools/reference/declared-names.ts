/**
 * Reads the declarations of a package's public names, with their docstrings, from the compiler's .d.ts files.
 *
 * Method: an entry point only re-exports, so its names are collected and followed to the file that declares each. Files
 * are parsed (oxc); a docstring belongs to the statement or member that begins right after it. Names that a declaration
 * mentions are followed, too, so that a type that is used but not exported can still be shown.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

/** One declared name; the overloads of a function are several signatures of one name. */
export interface Declared {
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'constant';
  /** Its docstring; '' for none. Those of overloads, one after the other. */
  readonly doc: string;
  /** As the compiler prints it; for a class or interface its head, without members. */
  readonly signatures: readonly string[];
  /** Members of a class, an interface or an object type; private ones left out. */
  readonly members: readonly Member[];
  /** Names that it mentions, and the file that resolves them. */
  readonly mentions: ReadonlySet<string>;
  readonly file: string;
}

export interface Member {
  /** '' for a call or an index signature. */
  readonly name: string;
  readonly signature: string;
  readonly doc: string;
  readonly isConstructor: boolean;
}

/** The declarations of every name that `entryFile` exports, ascending by name. Throws on an unknown form. */
export function publicDeclarations(entryFile: string): Declared[] {
  const found = exportedNames(entryFile);
  return [...found].sort(([first], [second]) => (first < second ? -1 : 1)).map(([, declared]) => declared);
}

/** The origin of a name that a file mentions: a declaration of this package, or the package that exports it. */
export function mentioned(file: string, name: string): Declared | { readonly package: string } | undefined {
  const { declared, imported } = readDeclarations(file);
  const own = declared.get(name);
  if (own !== undefined) return own;
  const source = imported.get(name);
  if (source === undefined) return undefined;
  return source.startsWith('.')
    ? exportedNames(declarationFile(file, source)).get(name)
    : { package: source };
}

interface DeclarationFile {
  /** Name -> the file's own declaration, exported or not. */
  readonly declared: ReadonlyMap<string, Declared>;
  /** Name -> the specifier it is imported from. */
  readonly imported: ReadonlyMap<string, string>;
  readonly exports: readonly ExportEntry[];
}

/** `name` is undefined if everything is exported. */
interface ExportEntry {
  readonly name: string | undefined;
  readonly source: string | undefined;
}

/** A node of the parsed program. Loosely typed, because of some forty kinds only a few fields matter here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  // biome-ignore lint/suspicious/noExplicitAny: its contents depend on the type
  readonly [field: string]: any;
}

const files = new Map<string, DeclarationFile>();

function exportedNames(file: string): Map<string, Declared> {
  const { declared, imported, exports } = readDeclarations(file);
  const found = new Map<string, Declared>();
  for (const { name, source } of exports) {
    const from = source ?? (name === undefined ? undefined : imported.get(name));
    if (name === undefined) {
      for (const [each, text] of exportedNames(declarationFile(file, source ?? ''))) found.set(each, text);
      continue;
    }
    const text =
      from === undefined ? declared.get(name) : exportedNames(declarationFile(file, from)).get(name);
    if (text === undefined) throw new Error(`${file}: '${name}' is not declared in ${from ?? 'it'}`);
    found.set(name, text);
  }
  return found;
}

function readDeclarations(file: string): DeclarationFile {
  const known = files.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, 'utf8');
  const { program, comments, errors } = parseSync(file, text);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const reader = new DocReader(text, comments);
  const declared = new Map<string, Declared>();
  const imported = new Map<string, string>();
  const exports: ExportEntry[] = [];
  for (const statement of program.body as unknown as readonly Node[]) {
    if (statement.type === 'ImportDeclaration') {
      for (const { local } of statement.specifiers) imported.set(local.name, statement.source.value);
    } else if (statement.type === 'ExportAllDeclaration') {
      exports.push({ name: undefined, source: statement.source.value });
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration === null) {
      for (const { local, exported } of statement.specifiers) {
        if (local.name !== exported.name)
          throw new Error(`${file}: '${local.name}' is exported as another name`);
        exports.push({ name: local.name, source: statement.source?.value });
      }
    } else {
      const isExported = statement.type === 'ExportNamedDeclaration';
      for (const each of declarationsOf(
        reader,
        file,
        statement,
        isExported ? statement.declaration : statement,
      )) {
        const earlier = declared.get(each.name);
        declared.set(each.name, earlier === undefined ? each : overloads(earlier, each));
        if (isExported) exports.push({ name: each.name, source: undefined });
      }
    }
  }
  const read = { declared, imported, exports };
  files.set(file, read);
  return read;
}

function declarationsOf(reader: DocReader, file: string, statement: Node, node: Node): Declared[] {
  const doc = reader.docBefore(statement.start);
  const make = (kind: Declared['kind'], name: string, head: string, members: readonly Member[] = []) => ({
    name,
    kind,
    doc,
    signatures: [head],
    members,
    mentions: new Set(reader.words(node).filter((word) => word !== name)),
    file,
  });
  switch (node.type) {
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration': {
      const head = reader
        .code(node.start, node.body.start)
        .replace(/^declare /, '')
        .trim();
      const kind = node.type === 'ClassDeclaration' ? 'class' : 'interface';
      return [make(kind, node.id.name, head, reader.members(node.body.body))];
    }
    case 'TSTypeAliasDeclaration': {
      const { typeAnnotation } = node;
      if (typeAnnotation.type !== 'TSTypeLiteral') {
        return [make('type', node.id.name, reader.code(node.start, node.end).replace(/^declare /, ''))];
      }
      const head = reader.code(node.start, typeAnnotation.start).replace(/^declare /, '');
      return [make('type', node.id.name, `${head} { ... }`, reader.members(typeAnnotation.members))];
    }
    case 'TSDeclareFunction':
    case 'FunctionDeclaration':
      return [make('function', node.id.name, reader.code(node.start, node.end).replace(/^declare /, ''))];
    case 'VariableDeclaration':
      return node.declarations.map(({ id }: Node) =>
        make('constant', id.name, reader.code(node.start, node.end).replace(/^declare /, '')),
      );
    case 'EmptyStatement':
    case 'ExportNamedDeclaration':
      return [];
    default:
      throw new Error(`${file}: a form of declaration that is not known: ${node.type}`);
  }
}

function overloads(first: Declared, second: Declared): Declared {
  return {
    ...first,
    doc: [first.doc, second.doc].filter((doc) => doc !== '').join('\n\n'),
    signatures: [...first.signatures, ...second.signatures],
    mentions: new Set([...first.mentions, ...second.mentions]),
  };
}

/** A file's text and comments: finds docstrings, and returns code without comments. */
class DocReader {
  readonly #text: string;
  readonly #comments: readonly { type: string; start: number; end: number }[];

  constructor(text: string, comments: readonly { type: string; start: number; end: number }[]) {
    this.#text = text;
    this.#comments = comments;
  }

  /** The docstring that ends right before `start`, as paragraphs; '' for none. */
  docBefore(start: number): string {
    const found = this.#comments.findLast(({ end }) => end <= start);
    if (found === undefined || this.#text.slice(found.end, start).trim() !== '') return '';
    const comment = this.#text.slice(found.start, found.end);
    if (!comment.startsWith('/**')) return '';
    const lines = comment.slice(3, -2).split('\n');
    return lines
      .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
      .join('\n')
      .trim();
  }

  /** The code between two positions as one line, without comments. */
  code(start: number, end: number): string {
    let code = '';
    let at = start;
    for (const comment of this.#comments) {
      if (comment.start < at || comment.end > end) continue;
      code += this.#text.slice(at, comment.start);
      at = comment.end;
    }
    return (code + this.#text.slice(at, end)).replace(/\s+/g, ' ').trim();
  }

  /** All words of a node's code that begin with a capital letter, as types do, outside quotes and private members. */
  words(node: Node): string[] {
    const code = this.code(node.start, node.end)
      .replace(/'[^']*'|"[^"]*"/g, '')
      .replace(/private [^;]*;/g, '');
    return [...code.matchAll(/(?<![.\w])[A-Z]\w*/g)].map(([word]) => word);
  }

  /** Overloads of a method are members of one name; the docstring of the first is for all. */
  members(nodes: readonly Node[]): Member[] {
    const found: Member[] = [];
    for (const node of nodes) {
      const isPrivate = node.accessibility === 'private' || node.key?.type === 'PrivateIdentifier';
      if (isPrivate || node.type === 'StaticBlock') continue;
      const name = node.key === undefined ? '' : this.#text.slice(node.key.start, node.key.end);
      const earlier = found.at(-1);
      const signature = this.code(node.start, node.end).replace(/;$/, '');
      const doc = this.docBefore(node.start);
      if (doc.includes('@internal')) continue;
      found.push({
        name,
        signature,
        doc: doc === '' && earlier?.name === name ? earlier.doc : doc,
        isConstructor: node.kind === 'constructor',
      });
    }
    return found;
  }
}

function declarationFile(from: string, specifier: string): string {
  return path.join(path.dirname(from), specifier.replace(/\.(ts|js)$/, '.d.ts'));
}
