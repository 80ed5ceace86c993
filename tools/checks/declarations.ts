/**
 * Reads what a package declares to its users out of the compiler's .d.ts files.
 *
 * Method: an entry point only re-exports, so its names are collected and followed to the file that declares each; that
 * file is split into its top-level statements, and those of the name are kept, comments and private members left out.
 * The compiler prints declarations in one fixed form, which makes splitting by brackets enough.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The declarations of every name that `entryFile` exports, ascending by name. Throws on a form it does not know. */
export function publicDeclarations(entryFile: string): string[] {
  const found = exportedNames(entryFile);
  return [...found.keys()].sort().map((name) => found.get(name) ?? '');
}

/** Name -> text of its declarations, for all exports of a file, re-exported ones included. */
function exportedNames(file: string): Map<string, string> {
  const statements = topLevelStatements(withoutComments(readFileSync(file, 'utf8')));
  const declared = declaredNames(statements);
  const imported = importedNames(statements);
  const found = new Map<string, string>();
  for (const statement of statements.filter((text) => text.startsWith('export '))) {
    const list = /^export (?:type )?\{([^}]*)\}(?: from '([^']+)')?;$/.exec(statement);
    const everything = /^export (?:type )?\* from '([^']+)';$/.exec(statement);
    if (everything !== null) {
      for (const [name, text] of exportedNames(declarationFile(file, everything[1] ?? '')))
        found.set(name, text);
    } else if (list !== null) {
      for (const { name, alias } of namesInBraces(list[1] ?? '')) {
        const source = list[2] ?? imported.get(name);
        const text =
          source === undefined ? declared.get(name) : exportedNames(declarationFile(file, source)).get(name);
        if (text === undefined) throw new Error(`${file}: '${name}' is not declared in ${source ?? 'it'}`);
        found.set(alias, alias === name ? text : `${text}\n// as ${alias}`);
      }
    } else {
      const name = declaredName(statement);
      if (name === undefined) throw new Error(`${file}: a form of export that is not known: ${statement}`);
      found.set(name, declared.get(name) ?? '');
    }
  }
  return found;
}

/** Name -> text of what a file declares itself, exported or not. Overloads are several statements of one name. */
function declaredNames(statements: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of statements) {
    const name = declaredName(statement);
    if (name === undefined) continue;
    const previous = found.get(name);
    const text = withoutPrivates(statement);
    found.set(name, previous === undefined ? text : `${previous}\n${text}`);
  }
  return found;
}

/** Name -> the specifier it is imported from. Aliases are not followed: we use none. */
function importedNames(statements: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const statement of statements) {
    const parts = /^import (?:type )?\{([^}]*)\} from '([^']+)';$/.exec(statement);
    for (const { alias } of namesInBraces(parts?.[1] ?? '')) found.set(alias, parts?.[2] ?? '');
  }
  return found;
}

function namesInBraces(text: string): { name: string; alias: string }[] {
  const parts = text.split(',').map((part) => part.trim().replace(/^type /, ''));
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', alias = name] = part.split(/ as /);
      return { name, alias };
    });
}

function declaredName(statement: string): string | undefined {
  const pattern = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|function|const|let) (\w+)/;
  return pattern.exec(statement)?.[1];
}

function declarationFile(from: string, specifier: string): string {
  return path.join(path.dirname(from), specifier.replace(/\.(ts|js)$/, '.d.ts'));
}

function withoutPrivates(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(#private;|private )/.test(line))
    .join('\n');
}

/** Takes comments out, and the lines that held nothing else. Quoted text is left as it is. */
function withoutComments(text: string): string {
  const bare = text.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|\/\/.*$/gm, (part) =>
    part.startsWith('/') ? '' : part,
  );
  return bare
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** Splits by the lines that begin at column 0 outside all brackets. */
function topLevelStatements(text: string): string[] {
  const statements: string[] = [];
  let depth = 0;
  for (const line of text.split('\n')) {
    if (depth === 0 && /^\w/.test(line)) statements.push(line);
    else statements.push(`${statements.pop() ?? ''}\n${line}`);
    for (const character of line.replace(/=>/g, '').replace(/'[^']*'|"[^"]*"/g, '')) {
      if ('{(['.includes(character)) depth++;
      if ('})]'.includes(character)) depth--;
    }
  }
  return statements;
}
