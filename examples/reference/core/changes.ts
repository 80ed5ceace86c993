// Example of: Changes, View, ReportColumns, ReportKind
import { type Changes, type ReportColumns, type ReportKind, type View, World } from 'umwelt';

const world = new World();
const ids = world.addMany({ x: [0, 3, 90], y: [0, 0, 0], range: 10 });
const changes: Changes = world.tick();
console.log(changes.tick, changes.enteredCount); // 1 2

// One view for each watcher with something to report.
for (const view of changes) world.touch(view.watcher);
const [first = 0] = ids;
const view: View | undefined = world.tick().of(first);
console.log(view?.updated.length); // 1

// The same without an object for each watcher: row i is watchers[i] with the markers from offsets[i] on.
const kind: ReportKind = 'updated';
const rows: ReportColumns = world.lastChanges.columns(kind);
for (let i = 0; i < rows.count; i++) {
  const markers = rows.markers.subarray(rows.offsets[i], rows.offsets[i + 1]);
  if (rows.watchers[i] === first) console.log(markers.includes(ids[1]!)); // true
}

// The next tick overwrites all lists: copy one to keep it.
const kept = view?.updated.slice();
world.tick();
console.log(kept?.length); // 1
