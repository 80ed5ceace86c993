/**
 * What the docstrings of exported names must say: what holds without an optional value, in which unit a number is or what
 * it counts, and the codes of the errors that are thrown.
 *
 * A machine cannot judge a sentence, so the rules look for words. They are weaker than a reader: a docstring that has the
 * word can still be wrong. They find what was forgotten.
 */
import type { Declared, Member } from './declared-names.ts';

/** An exported name, and its members with the docstrings that the page shows. */
export interface DocumentedName {
  readonly declared: Declared;
  readonly members: readonly { readonly member: Member; readonly doc: string }[];
}

/** The codes that a function, a method or a constructor of `declared` throws, as far as is known. */
export type ThrownBy = (declared: Declared, member: string | undefined) => ReadonlySet<string>;

/** Sentences that begin with the name. */
export function docProblems(names: readonly DocumentedName[], thrownBy: ThrownBy): string[] {
  return names.flatMap((each) => {
    const { declared, members } = each;
    const problems =
      declared.kind === 'function'
        ? callProblems(declared.name, declared.signatures, declared.doc, declared.doc)
        : [];
    for (const { member, doc } of members) {
      const name = `${declared.name}.${member.name}`;
      const type = propertyType(member);
      if (type === undefined)
        problems.push(...callProblems(name, [member.signature], doc, declared.doc, member.isConstructor));
      else problems.push(...propertyProblems(name, member, type, doc, declared.doc));
    }
    return [...problems, ...errorProblems(each, names, thrownBy)];
  });
}

/** What says what holds without a value; also that another name says it, or when the value is there. */
const WITHOUT =
  /\bdefault|\bunless|\babsent|\bnone\b|\b(not given|without (it|one|them))\b|\brequired|\b(as in|see) `|^(only )?(with|in|if|for)\b/i;
/** Units, and what is counted; a range of numbers, too. */
const UNIT =
  /\b(units?|radians?|degrees?|milliseconds?|ms|seconds?|minutes?|ticks?|times?|bytes?|[KM]iB|bits?|masks?|numbers?|counts?|how (many|much|far|often|long)|factors?|shares?|fractions?|ratios?|percentile|index|indices|slots?|ids?|entit(y|ies)|pairs?|steps?|letters|characters|ports?|codes?|seeds?|hash|weights?|channels?|layers?|angles?|distances?|ranges?|positions?|coordinates?|lengths?|ranks?|rows?|cells?|actors?|as in|the (same|given) value)\b|\d/i;
/** What says that the parameters are those of another name. */
const SAME = /(?:^|[.;:] )(?:as|see|otherwise as) `/i;
/** Names of parameters that are known everywhere. */
const KNOWN_PARAMETER = /^(x|y|z|d[xyz]|i|k|[xyz]\d|(min|max)[XYZ]|watcher|marker|value)$/;

function propertyProblems(name: string, member: Member, type: string, doc: string, whole: string): string[] {
  const problems: string[] = [];
  // Of many columns or details, the type's docstring may say it once.
  if (isOptional(member) && !WITHOUT.test(doc) && !/\babsent\b/i.test(whole))
    problems.push(`${name} does not say what holds without it`);
  if (isNumeric(type) && !UNIT.test(doc) && !UNIT.test(words(member.name)) && !UNIT.test(whole))
    problems.push(`${name} does not say its unit, or what it counts`);
  return problems;
}

/** `whole`: the docstring of the class, or of the function itself. */
function callProblems(
  name: string,
  signatures: readonly string[],
  doc: string,
  whole: string,
  isConstructor = false,
): string[] {
  const problems: string[] = [];
  for (const { name: parameter, optional, type } of signatures.flatMap(parametersOf)) {
    const isNamed =
      new RegExp(`\`[^\`]*(?<![\\w$])${parameter}(?![\\w$])[^\`]*\``).test(doc) || SAME.test(doc);
    if (optional && !isNamed && !/^[A-Z{]/.test(type.replace(/^\w+Array\b/, 'array')))
      problems.push(`${name} does not say what holds without its parameter ${parameter}`);
    // What a constructor that is not for users takes has no docstring.
    if (isConstructor && doc === '') continue;
    const isKnown = KNOWN_PARAMETER.test(parameter) || UNIT.test(words(parameter));
    if (isNumeric(type) && !isNamed && !isKnown && !UNIT.test(doc) && !UNIT.test(whole))
      problems.push(`${name} does not say the unit of its parameter ${parameter}, or what it counts`);
  }
  return [...new Set(problems)];
}

function errorProblems(each: DocumentedName, names: readonly DocumentedName[], thrownBy: ThrownBy): string[] {
  const { declared } = each;
  const missing = (name: string, member: string | undefined) => {
    const said = saidCodes(each, member, names, 0);
    const codes = [...thrownBy(declared, member)].filter((code) => said !== undefined && !said.has(code));
    return codes.length === 0 ? [] : [`${name} does not name ${codes.sort().join(', ')}, which it throws`];
  };
  if (declared.kind === 'function') return missing(declared.name, undefined);
  if (declared.kind !== 'class') return [];
  const members = new Set(each.members.map(({ member }) => member.name));
  return [...members].flatMap((member) => missing(`${declared.name}.${member}`, member));
}

/** A name whose docstring says more: "throws as `add`", "what `World.add` throws", "used by `joinWorld`". */
const REFERENCE = /\b(?:as|see|what|by|of) `(?:new )?([A-Za-z][\w.]*)(?:\(\))?`|\bwhat the (constructor)\b/i;

/** The codes that the docstrings of a name say, also those that they refer to; `undefined` if one of these is of another package. */
function saidCodes(
  each: DocumentedName,
  member: string | undefined,
  names: readonly DocumentedName[],
  depth: number,
): Set<string> | undefined {
  const own = each.members.filter((other) => other.member.name === member).map(({ doc }) => doc);
  const said = new Set(codesIn(each.declared.doc));
  for (const doc of own) for (const code of codesIn(doc)) said.add(code);
  for (const [, name = '', creation] of [...own, member === undefined ? each.declared.doc : ''].flatMap(
    (doc) => [...doc.matchAll(new RegExp(REFERENCE, 'gi'))],
  )) {
    const found = referred(creation ?? name, each, names);
    if (found === undefined) {
      if (/^[A-Z]\w*\.\w/.test(name)) return undefined;
      continue;
    }
    if (depth > 3 || (found.each === each && found.member === member)) continue;
    const more = saidCodes(found.each, found.member, names, depth + 1);
    if (more === undefined) return undefined;
    for (const code of more) said.add(code);
  }
  return said;
}

function referred(
  name: string,
  from: DocumentedName,
  names: readonly DocumentedName[],
): { each: DocumentedName; member: string | undefined } | undefined {
  if (from.members.some(({ member }) => member.name === name)) return { each: from, member: name };
  const [owner = '', member] = name.split('.');
  const each = names.find(({ declared }) => declared.name === owner);
  if (each === undefined) return undefined;
  return { each, member: member ?? (each.declared.kind === 'class' ? 'constructor' : undefined) };
}

function codesIn(doc: string): string[] {
  return [...doc.matchAll(/(?<![\w$])[A-Z]+(?:_[A-Z]+)*(?![\w$])/g)].map(([code]) => code);
}

/** The type of a property or a getter; `undefined` for what is called. */
function propertyType({ name, signature }: Member): string | undefined {
  const plain = signature.replace(/^(?:(?:static|readonly|abstract|declare|override) )+/, '');
  const [, getter] = /^get [^:]+\(\): (.+)$/.exec(plain) ?? [];
  if (getter !== undefined) return getter;
  if (name === '' || !plain.startsWith(name)) return undefined;
  return /^\??: (.+)$/.exec(plain.slice(name.length))?.[1];
}

function isOptional({ name, signature }: Member): boolean {
  return signature.includes(`${name}?: `);
}

/** Numbers and columns of them; not functions of them, and not ids. */
function isNumeric(type: string): boolean {
  return /\bnumber\b|Float(32|64)Array/.test(type) && !type.includes('=>');
}

/** Its parameters, and the members of those that are written as an object type; no functions. */
function parametersOf(signature: string): { name: string; optional: boolean; type: string }[] {
  const begin = signature.indexOf('(');
  let end = begin;
  for (let depth = 0; end < signature.length; end++) {
    if (signature[end] === '(') depth++;
    if (signature[end] === ')' && --depth === 0) break;
  }
  const given = signature.slice(begin, end);
  const found = [...given.matchAll(/(?<=[({,;] (?:readonly )?|^\()(\w+)(\??): (.*?)(?=[,;}]|$)/g)];
  return found
    .map(([, name = '', mark = '', type = '']) => ({ name, optional: mark !== '', type }))
    .filter(({ type }) => !type.includes('=>'));
}

/** A name in words: `tickMs` is 'tick ms'. */
function words(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
