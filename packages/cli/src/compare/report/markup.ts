/** Escapes text for HTML and SVG. */

/** As text or attribute value. */
export function escaped(text: string): string {
  return text
    .replace(/&/gu, '&amp;')
    .replace(/</gu, '&lt;')
    .replace(/>/gu, '&gt;')
    .replace(/"/gu, '&quot;')
    .replace(/'/gu, '&#39;');
}

/** A coordinate in a drawing: a tenth of a pixel is precise enough. */
export function coordinate(value: number): string {
  return String(Math.round(value * 10) / 10);
}
