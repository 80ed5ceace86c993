/**
 * The anchors that GitHub gives the headings of a page: words in lower case joined by hyphens. A heading whose anchor an
 * earlier one has gets a number: `NatsLog` is `#natslog`, and `natsLog` after it is `#natslog-1`.
 */

/** The anchor of each heading, in their order. */
export function headingAnchors(headings: readonly string[]): string[] {
  const times = new Map<string, number>();
  return headings.map((heading) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const earlier = times.get(anchor) ?? 0;
    times.set(anchor, earlier + 1);
    return earlier === 0 ? anchor : `${anchor}-${earlier}`;
  });
}
