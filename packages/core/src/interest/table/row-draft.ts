/**
 * One watcher's row while row-decider.ts decides it: each pair as it was and as it will be. What changes goes into the list of edits
 * (seats/row-edits.ts), so stored rows stay as they are until the tick has succeeded.
 *
 *   a pair   marker, before (its state), after, since; see pair-rows.ts
 */
export class RowDraft {
  readonly marker: number[] = [];
  readonly before: number[] = [];
  readonly after: number[] = [];
  readonly since: number[] = [];

  get count(): number {
    return this.marker.length;
  }

  clear(): void {
    for (const column of [this.marker, this.before, this.after, this.since]) column.length = 0;
  }

  /** Adds a pair. Call in ascending order of markers. */
  add(marker: number, before: number, after: number, since: number): void {
    this.marker.push(marker);
    this.before.push(before);
    this.after.push(after);
    this.since.push(since);
  }
}
