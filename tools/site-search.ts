/**
 * What the site's search finds: it runs in the page, on an index that VitePress makes of all pages.
 *
 * A reader who types a name looks for its page. So the pages of names come first, and what many pages repeat is not
 * searched. VitePress's configuration contains both functions as text, so they must use nothing from their scope.
 */

/**
 * The text of a page for the search. Of the reference, names and docstrings: code is on many pages, and the names of an
 * index are found at their own pages. Members have results of their own if they are of a package's main entry point.
 */
export function searchedText(place: string, text: string): string {
  if (!place.startsWith('api/')) return text;
  const [begin = ''] = /^```ts\n.*/m.exec(text) ?? [];
  const isMain = /from '(@[\w-]+\/)?[\w-]+';$/.test(begin);
  const withoutCode = text.replace(/^```[\s\S]*?^```$/gm, '');
  if (place.split('/').length === 2) return withoutCode.replace(/^(- | {2}).*$/gm, '');
  return withoutCode
    .replace(/^\*.*\*$/gm, '')
    .replace(/^## (Errors|Mentions) [\s\S]*/m, '')
    .replace(/^## .*$/gm, '')
    .replace(/^### (.*)( \{#.*\})$/gm, isMain ? '## $1$2' : '$1');
}

/**
 * The words of a text. Unlike MiniSearch's own function it keeps the code of an error, such as BAD_RANGE, in one piece, and
 * takes 3-D, as the guides write it, and 3D for one word.
 */
export function searchWords(text: string): string[] {
  return text.replace(/\b([23])-D\b/gi, '$1D').match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** How much a word of a query counts: little for a word of grammar in a sentence. `world.on` is none. */
export function wordWeight(word: string, _index: number, words: string[]): number {
  const grammar =
    'a an and are as at be by can do does for from how i in is it my of on or that the to what when which who with';
  return words.length > 2 && grammar.split(' ').includes(word) ? 0.02 : 1;
}

/** How different a word may be from the one that was typed, as a part of its letters. */
export function fuzziness(word: string): number {
  return word.length > 4 ? 0.2 : 0;
}

/**
 * How much a word counts that only begins with the one that was typed, or is only similar to it. It may be the name of a page,
 * which counts 5 times: also then it must count less than the word itself.
 */
export const WORD_WEIGHTS = { prefix: 0.15, fuzzy: 0.05 } as const;

/**
 * How much a result counts: most for the page of exactly the name that was found; a guide more than a part of the reference. `term`
 * is the word that was found: it may be longer than the one that was typed.
 */
export function searchBoost(
  id: string,
  term: string,
  { title, titles }: { title: string; titles: string[] },
): number {
  if (!id.includes('/api/')) return 1;
  // What an error says leads to the list of codes.
  if (term.includes('_')) return id.includes('/UmweltErrorCode.html') ? 10 : 0.5;
  const isExact = title.toLowerCase() === term.toLowerCase();
  const ofPackage = id.includes('/umwelt-scenarios/') ? 0.5 : 1;
  if (titles.length === 0) return ofPackage * (isExact ? 5 : 0.5);
  // Methods of the world are what most look for.
  return ofPackage * (isExact ? 1 : 0.5) * (id.includes('/World.html') ? 3 : 1);
}
