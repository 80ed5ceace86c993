/**
 * What the page stores in the browser between visits, where that is possible.
 *
 * A page in a sandboxed frame, such as the playground on the documentation's first page, has no storage: access throws. The
 * page then stores nothing, and works.
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
    // Storage is not available.
  }
}
