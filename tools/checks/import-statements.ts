/**
 * The specifiers that a source file imports, found by a parser (oxc), in every form.
 *
 * Found are `import` and `export ... from`, types included; `import()` as a call and as a type; `import x = require()`
 * and `require()`; `import.meta.resolve()`; and worker files named by `new URL('...', import.meta.url)`. Specifiers that
 * are computed at run time are not found.
 */
import { parseSync } from 'oxc-parser';

/** One specifier in a file. */
export interface ImportStatement {
  /** Counts from 1. */
  readonly line: number;
  /** The text between the quotes. */
  readonly specifier: string;
  /**
   * Whether it is an address relative to the file (`new URL`), which may lead to a folder or to a file that is not built
   * yet.
   */
  readonly isAddress: boolean;
}

/** Forms that the parser's own list of imports omits. Only texts that may contain one are searched node by node. */
const inner =
  /\bimport\s*\(|\bimport\b[^'"(]*=|\brequire\b|\bimport\.meta\b|\bexport\s+(type\s*)?\{\s*\}\s*from\b/;

/** All specifiers of one file, in their order. Throws if the text does not parse. */
export function importStatements(file: string, text: string): ImportStatement[] {
  // AssemblyScript has decorators where TypeScript allows none.
  const readable = file.includes('/kernels/wasm/')
    ? text.replace(/^@\w+/gm, (word) => ' '.repeat(word.length))
    : text;
  const { module, errors, program } = parseSync(file, readable);
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  const found: Found[] = [
    ...module.staticImports.map((statement) => statement.moduleRequest),
    ...module.staticExports.flatMap((statement) => statement.entries.map((entry) => entry.moduleRequest)),
  ]
    .filter((request) => request !== null && request !== undefined)
    .map((request) => ({ start: request.start, specifier: request.value, isAddress: false }));
  if (inner.test(text)) collect(program, found);
  // `export { a, b } from` lists its file once for each name.
  const byStart = new Map(found.map((statement) => [statement.start, statement]));
  return [...byStart]
    .sort(([first], [second]) => first - second)
    .map(([start, { specifier, isAddress }]) => ({
      line: text.slice(0, start).split('\n').length,
      specifier,
      isAddress,
    }));
}

/** `start` is the index of the opening quote in the text. */
interface Found {
  readonly start: number;
  readonly specifier: string;
  readonly isAddress: boolean;
}

/** A node of the parsed program, or any value in one. */
type Node = Readonly<Record<string, unknown>> & { readonly type?: string };

function collect(value: unknown, found: Found[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const node = value as Node;
  const literal = specifierOf(node);
  if (literal !== undefined) {
    found.push({ ...literal, isAddress: node.type === 'NewExpression' });
  }
  for (const child of Object.values(node)) collect(child, found);
}

/** The literal specifier of a node that imports. */
function specifierOf(node: Node): { start: number; specifier: string } | undefined {
  const [first, second] = (node.arguments ?? []) as readonly unknown[];
  switch (node.type) {
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literalOf(node.source ?? node.argument);
    case 'TSExternalModuleReference':
      return literalOf(node.expression);
    case 'CallExpression':
      return isNamed(node.callee, 'require') || isImportMeta(node.callee, 'resolve')
        ? literalOf(first)
        : undefined;
    case 'NewExpression':
      return isNamed(node.callee, 'URL') && isImportMeta(second, 'url') ? literalOf(first) : undefined;
    default:
      return undefined;
  }
}

function isNamed(value: unknown, name: string): boolean {
  const node = value as Node | undefined;
  return node?.type === 'Identifier' && node.name === name;
}

/** Whether a node is `import.meta.PROPERTY`. */
function isImportMeta(value: unknown, property: string): boolean {
  const node = value as Node | undefined;
  return (
    node?.type === 'MemberExpression' &&
    (node.object as Node).type === 'MetaProperty' &&
    isNamed(node.property, property)
  );
}

/** A string, or a template without placeholders. */
function literalOf(value: unknown): { start: number; specifier: string } | undefined {
  const node = value as Node | undefined;
  if (node?.type === 'TSLiteralType') return literalOf(node.literal);
  if (node?.type === 'Literal' && typeof node.value === 'string') {
    return { start: node.start as number, specifier: node.value };
  }
  const pieces = (node?.quasis ?? []) as readonly { value: { cooked: string } }[];
  if (node?.type !== 'TemplateLiteral' || pieces.length !== 1) return undefined;
  return { start: node.start as number, specifier: pieces[0]?.value.cooked ?? '' };
}
