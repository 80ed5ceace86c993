// Example of: WorldModel, Subject, Report, ReportView
import { World } from 'umwelt';
import { type Report, type ReportView, type Subject, WorldModel } from 'umwelt/conformance';

/** The same calls on the engine and on the plain model, which decides by the definition alone. */
function firstViews(subject: Subject): number[] {
  const player = subject.add({ x: 0, y: 0, range: 10 });
  subject.add({ x: 6, y: 8 });
  const report: Report = subject.tick();
  const view: ReportView | undefined = report.of(player);
  return [...(view?.entered ?? [])];
}

const [ours, plain] = [new World(), new WorldModel()].map((subject) => firstViews(subject));
console.log(ours?.length, String(ours) === String(plain)); // 1 true
