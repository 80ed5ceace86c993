/**
 * What the page remembers of its visitor from one time to the next, where it may.
 *
 * A page in a frame that is shut off from its site, as the playground on the documentation's first page is, has no storage: asking
 * for it throws. It then remembers nothing, and works.
 */

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Not kept.
  }
}
