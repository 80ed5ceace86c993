/** A table as text: aligned for a terminal, or in Markdown. */
import type { Table } from './case-table.ts';

export function terminalTable({ headings, rows }: Table): string {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => (cells[column] ?? '').length)));
  const padded = (cells: readonly string[]): string =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ');
  return lines.map((cells) => `${padded(cells).trimEnd()}\n`).join('');
}

export function markdownTable({ headings, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return line(headings) + line(headings.map((_, i) => (i === 0 ? '---' : '---:'))) + rows.map(line).join('');
}
