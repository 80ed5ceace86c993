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

/** How much more a result counts: most for the page of exactly the name that was typed. */
export function searchBoost(
  id: string,
  term: string,
  { title, titles }: { title: string; titles: string[] },
): number {
  if (!id.includes('/api/')) return 1;
  const isExact = title.toLowerCase() === term.toLowerCase();
  if (titles.length === 0) return isExact ? 10 : 1;
  // Methods of the world are what most look for.
  return (isExact ? 3 : 1) * (id.includes('/World.html') ? 2 : 1);
}
