/**
 * Compares the reports of two sides, and describes the first difference in words.
 *
 * Lists are compared whole, in order. A world's columns are compared with its own views, and its hash with another
 * world's; the model has neither, because how a hash mixes is internal to the engine. Cost: O(report).
 */
import type { Changes, EntityId } from '../index.ts';
import type { PlainOutranked } from './model/outranked.ts';
import type { Report, ReportView } from './subject.ts';

const KINDS = ['entered', 'left', 'updated', 'sensed'] as const;

/** The first difference between the expected and the actual report, or `undefined`. */
export function differenceOfReports(expected: Report, got: Report): string | undefined {
  if (expected.tick !== got.tick) return `tick is ${got.tick}, expected ${expected.tick}`;
  const [expectedViews, gotViews] = [[...expected], [...got]];
  for (let i = 0; i < Math.max(expectedViews.length, gotViews.length); i++) {
    const difference = differenceOfViews(expectedViews[i], gotViews[i]);
    if (difference !== undefined) return `tick ${got.tick}, ${difference}`;
  }
  for (const count of ['viewCount', 'enteredCount', 'leftCount', 'updatedCount', 'sensedCount'] as const) {
    if (expected[count] !== got[count]) {
      return `tick ${got.tick}, ${count} is ${got[count]}, expected ${expected[count]}`;
    }
  }
  const removed = differenceOfLists('removed', expected.removed, got.removed);
  return removed && `tick ${got.tick}, ${removed}`;
}

/** The first difference in the markers that become watched or unwatched in this tick, in words; or `undefined`. */
export function differenceOfWatched(expected: Report, got: Report): string | undefined {
  const difference =
    differenceOfLists('watched', expected.watched, got.watched) ??
    differenceOfLists('unwatched', expected.unwatched, got.unwatched);
  return difference && `tick ${got.tick}, ${difference}`;
}

/** The first inconsistency within a world's report: columns, `of` and the form of the hash; or `undefined`. */
export function faultOfChanges(changes: Changes): string | undefined {
  const views = [...changes];
  for (const kind of KINDS) {
    const { count, watchers, offsets, markers } = changes.columns(kind);
    const rows: Row[] = [];
    for (let row = 0; row < count; row++) {
      if (offsets[row] === offsets[row + 1]) continue;
      rows.push([watchers[row], markers.subarray(offsets[row], offsets[row + 1])]);
    }
    const expected: Row[] = [];
    for (const view of views) if (view[kind].length > 0) expected.push([view.watcher, view[kind]]);
    if (!areAlike(rows, expected)) {
      return `columns('${kind}') hold ${rowsText(rows)}, the views ${rowsText(expected)}`;
    }
    const total = count === 0 ? 0 : offsets[count] - offsets[0];
    if (total !== changes[`${kind}Count`]) {
      return `columns('${kind}') hold ${total} markers, ${kind}Count is ${changes[`${kind}Count`]}`;
    }
  }
  for (const view of views) {
    const difference = differenceOfViews(view, changes.of(view.watcher));
    if (difference !== undefined) return `of(${view.watcher}): ${difference}`;
  }
  const hash = changes.hash();
  if (!/^[0-9a-f]{16}$/.test(hash)) return `hash() is '${hash}', expected 16 lower-case hex digits`;
  if (views.length === 0 && hash !== '0'.repeat(16)) return `hash() of an empty report is ${hash}`;
  return undefined;
}

/** The first difference between two lists of ids, or `undefined`. */
export function differenceOfLists(name: string, expected: Uint32Array, got: Uint32Array): string | undefined {
  return isSameList(expected, got) ? undefined : `${name} is [${got}], expected [${expected}]`;
}

/** The first difference in what `outranked` answers about a watcher, or `undefined`. */
export function differenceOfOutranked(
  watcher: EntityId,
  expected: PlainOutranked,
  got: PlainOutranked,
): string | undefined {
  const call = `outranked(${watcher})`;
  for (const count of ['seats', 'seated', 'total'] as const) {
    if (expected[count] !== got[count])
      return `${call}.${count} is ${got[count]}, expected ${expected[count]}`;
  }
  return (
    differenceOfLists(`${call}.ids`, expected.ids, got.ids) ??
    differenceOfLists(`${call}.places`, expected.places, got.places)
  );
}

function isSameList(one: Uint32Array, other: Uint32Array): boolean {
  let same = one.length === other.length;
  for (let i = 0; same && i < one.length; i++) same = one[i] === other[i];
  return same;
}

/** The markers reported to a watcher. */
type Row = readonly [watcher: EntityId, markers: Uint32Array];

function areAlike(rows: readonly Row[], others: readonly Row[]): boolean {
  if (rows.length !== others.length) return false;
  return rows.every(([watcher, markers], i) => watcher === others[i][0] && isSameList(markers, others[i][1]));
}

function rowsText(rows: readonly Row[]): string {
  return rows.map(([watcher, markers]) => `${watcher}: ${markers}`).join('; ');
}

function differenceOfViews(
  expected: ReportView | undefined,
  got: ReportView | undefined,
): string | undefined {
  if (expected === undefined || got === undefined) {
    return expected === got ? undefined : `view is ${viewText(got)}, expected ${viewText(expected)}`;
  }
  if (expected.watcher !== got.watcher) {
    return `view is ${viewText(got)}, expected ${viewText(expected)}`;
  }
  for (const kind of KINDS) {
    const difference = differenceOfLists(kind, expected[kind], got[kind]);
    if (difference !== undefined) return `watcher ${got.watcher}: ${difference}`;
  }
  return undefined;
}

function viewText(view: ReportView | undefined): string {
  if (view === undefined) return 'none';
  const lists = KINDS.filter((kind) => view[kind].length > 0).map((kind) => `${kind} [${view[kind]}]`);
  return `of ${view.watcher} (${lists.join(', ')})`;
}
