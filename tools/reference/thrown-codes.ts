/**
 * The codes of errors that functions and methods throw, as far as their sources show it.
 *
 * Method: a function's codes are those that its text names, and those of what it calls: by a plain name (`check(x)`), as
 * a method of its own object (`this.#check(x)`) or of a field that is declared with its class (`this.#store.slotOf(id)`), or
 * as a constructor (`new Shape(x)`). Other calls are not followed, because that needs types; so a code can be missed. A code
 * that is found can be thrown, unless the values that are passed rule it out. A code that a function compares with is
 * caught there. Functions that are stored for later are left out. Files are parsed by oxc.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

interface Routine {
  readonly codes: ReadonlySet<string>;
  /** Codes that it compares with, as where it catches them: they do not leave it. */
  readonly compared: ReadonlySet<string>;
  /** What it calls: `tick` for a function, `World.constructor`, and `this.tick` or `this.world.tick` from its own object. */
  readonly calls: ReadonlySet<string>;
}

interface SourceFile {
  readonly routines: ReadonlyMap<string, Routine>;
  /** From a name to the file that declares it. */
  readonly imports: ReadonlyMap<string, string>;
  /** From a class to the class that it extends. */
  readonly bases: ReadonlyMap<string, string>;
  /** From a field (`World.engine`) to the name of its type. */
  readonly fields: ReadonlyMap<string, string>;
}

/** Others call a world with values that they have checked, so the errors of its methods are not theirs. */
const WORLDS: ReadonlySet<string> = new Set(['World', 'WorldReader', 'RecordedWorld']);

/** A node of the parsed program, loosely typed: only a few fields of many kinds matter here. */
interface Node {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: its contents depend on the type
  readonly [field: string]: any;
}

/** Reads sources as it needs them. `isCode`: whether a literal is a code. */
export class ThrowReader {
  readonly #isCode: (value: unknown) => boolean;
  readonly #files = new Map<string, SourceFile>();

  constructor(isCode: (value: unknown) => boolean) {
    this.#isCode = isCode;
  }

  /** The codes of a function (`tick`) or a method (`World.tick`) that a file declares. */
  codesOf(file: string, name: string): Set<string> {
    const found = new Set<string>();
    this.#collect(file, name, found, new Set());
    return found;
  }

  #collect(file: string, name: string, found: Set<string>, seen: Set<string>): void {
    const key = `${file} ${name}`;
    if (seen.has(key)) return;
    seen.add(key);
    const { routines, imports, bases, fields } = this.#read(file);
    const routine = routines.get(name);
    const [owner = '', first, ...others] = name.split('.');
    if (routine !== undefined) {
      const { codes, compared, calls } = routine;
      const thrown = new Set(codes);
      const within = compared.size === 0 ? seen : new Set(seen);
      for (const call of calls) this.#collect(file, call.replace(/^this\./, `${owner}.`), thrown, within);
      for (const code of thrown) if (!compared.has(code)) found.add(code);
      return;
    }
    const type = others.length === 0 ? undefined : fields.get(`${owner}.${first}`);
    if (type !== undefined && WORLDS.has(type)) return;
    const base = bases.get(owner);
    const imported = imports.get(owner);
    if (type !== undefined) this.#collect(file, [type, ...others].join('.'), found, seen);
    else if (base !== undefined) this.#collect(file, [base, first, ...others].join('.'), found, seen);
    else if (imported !== undefined) this.#collect(imported, name, found, seen);
  }

  #read(file: string): SourceFile {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const routines = new Map<string, Routine>();
    const imports = new Map<string, string>();
    const bases = new Map<string, string>();
    const fields = new Map<string, string>();
    const read = { routines, imports, bases, fields };
    this.#files.set(file, read);
    if (!existsSync(file)) return read;
    for (const statement of parseSync(file, readFileSync(file, 'utf8')).program
      .body as unknown as readonly Node[]) {
      if (statement.type === 'ImportDeclaration' || statement.type === 'ExportNamedDeclaration') {
        const source: string | undefined = statement.source?.value;
        if (source?.startsWith('.'))
          for (const { local, exported } of statement.specifiers)
            imports.set((exported ?? local).name, path.join(path.dirname(file), source));
      }
      const node: Node = statement.declaration ?? statement;
      if (node.type === 'FunctionDeclaration') routines.set(node.id.name, this.#routine(node.body));
      if (node.type === 'ClassDeclaration') {
        const name: string = node.id.name;
        if (node.superClass?.type === 'Identifier') bases.set(name, node.superClass.name);
        for (const member of node.body.body as readonly Node[]) {
          const type = member.typeAnnotation?.typeAnnotation;
          if (member.type === 'PropertyDefinition' && type?.type === 'TSTypeReference')
            fields.set(`${name}.${member.key.name}`, type.typeName.name);
          if (member.type !== 'MethodDefinition') continue;
          routines.set(`${name}.${member.key.name}`, this.#routine(member.value));
        }
      }
    }
    return read;
  }

  #routine(body: Node): Routine {
    const codes = new Set<string>();
    const compared = new Set<string>();
    const calls = new Set<string>();
    visit(body, (node) => {
      if (node.type === 'Literal' && this.#isCode(node.value)) codes.add(node.value);
      if (node.type === 'BinaryExpression' && this.#isCode(node.right.value)) compared.add(node.right.value);
      if (node.type === 'NewExpression' && node.callee.type === 'Identifier')
        calls.add(`${node.callee.name}.constructor`);
      if (node.type !== 'CallExpression') return;
      const { callee } = node;
      const path = pathOf(callee);
      if (callee.type === 'Identifier') calls.add(callee.name);
      else if (path?.startsWith('this.')) calls.add(path);
    });
    return { codes, compared, calls };
  }
}

/** `this.#store.slotOf` as `this.store.slotOf`; `undefined` for what is no such path. */
function pathOf(node: Node): string | undefined {
  if (node.type === 'ThisExpression') return 'this';
  if (node.type !== 'MemberExpression' || node.computed) return undefined;
  const before = pathOf(node.object);
  return before === undefined ? undefined : `${before}.${node.property.name}`;
}

/** Sees all nodes that run when the function runs: of functions within it, those that are an argument of a call. */
function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const [field, value] of Object.entries(node))
    for (const each of Array.isArray(value) ? value : [value]) {
      const isLater =
        /Function/.test(each?.type) && !(node.type === 'CallExpression' && field === 'arguments');
      if (typeof each?.type === 'string' && !isLater) visit(each, see);
    }
}
