/**
 * Transforms sources so that every write to a typed array is checked: an out-of-range write throws instead of being
 * ignored.
 *
 *     npm run fuzz -- --checked                                 node --import ./tools/checked-columns/register.ts
 *     UMWELT_CHECKED_COLUMNS=1 npm test                         a plugin of Vite's
 *
 * Problem: `column[slot] = value` past the end of a typed array silently does nothing, and the loss shows hundreds of
 * ticks later or never. Method: when the packages' sources are loaded, the index of each write is wrapped in a call,
 * `column[within(column, slot)] = value`, which throws unless a typed array has that element. Lines and types stay as
 * they are. WebAssembly kernels are not covered: their writes past a column's end are found by `Heap.validate`. Cost:
 * sources run several times slower, so this is for tests; shipped code does not contain it.
 */
import { resolve, sep } from 'node:path';
import { parseAst } from 'vite';

/** The global name under which checked sources find the check. */
const CHECK = 'umweltWithinColumn';
const PACKAGES = resolve(import.meta.dirname, '../../packages') + sep;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

type Parsed = Record<string, unknown> & Node;

/** Whether a file's writes are checked: the packages' TypeScript, including detectors in tests. */
export function isChecked(path: string): boolean {
  return path.startsWith(PACKAGES) && path.endsWith('.ts') && !path.includes(`${sep}node_modules${sep}`);
}

/** The source with its writes checked; line numbers do not change. */
export function withCheckedWrites(source: string): string {
  const edits: { at: number; text: string }[] = [];
  const program = parseAst(source, { lang: 'ts' }) as unknown as Parsed;
  eachNode(program, (node) => {
    for (const target of targetsOf(node)) {
      const object = target.object as Parsed;
      const property = target.property as Parsed;
      // The checked code evaluates the array expression twice.
      if (isActing(object)) continue;
      edits.push({ at: property.start, text: `${CHECK}(${source.slice(object.start, object.end)}, ` });
      edits.push({ at: property.end, text: ')' });
    }
  });
  edits.sort((one, other) => other.at - one.at);
  return edits.reduce((text, { at, text: more }) => text.slice(0, at) + more + text.slice(at), source);
}

/** Makes the check known to checked sources in this process. */
export function provideCheck(): void {
  Object.assign(globalThis, { [CHECK]: checkedIndex });
}

function checkedIndex(column: unknown, index: unknown): unknown {
  if (!ArrayBuffer.isView(column) || column instanceof DataView) return index;
  const { length } = column as Uint8Array;
  if (Number.isInteger(index) && (index as number) >= 0 && (index as number) < length) return index;
  throw new RangeError(
    `element ${String(index)} of a ${column.constructor.name} of ${length} was written to`,
  );
}

/** The elements with a computed index that a node writes to. */
function targetsOf(node: Parsed): Parsed[] {
  if (node.type === 'AssignmentExpression') return elementsIn(node.left as Parsed);
  if (node.type === 'UpdateExpression') return elementsIn(node.argument as Parsed);
  return [];
}

function elementsIn(target: Parsed | null): Parsed[] {
  if (target?.type === 'MemberExpression') return target.computed === true ? [target] : [];
  if (target?.type === 'ArrayPattern') return (target.elements as (Parsed | null)[]).flatMap(elementsIn);
  return [];
}

/** Whether evaluating an expression twice can differ from evaluating it once. */
function isActing(expression: Parsed): boolean {
  let acts = false;
  eachNode(expression, ({ type }) => {
    if (/^(Call|New|Assignment|Update|Await|Yield)Expression$/.test(type)) acts = true;
  });
  return acts;
}

function eachNode(node: Parsed, visit: (node: Parsed) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === 'object' && child !== null && 'type' in child) eachNode(child as Parsed, visit);
    }
  }
}
