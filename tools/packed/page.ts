/** What a user's script does with the packed inspector: its page is complete, and the inspector can be closed. */
import { startInspector } from '@umwelt/inspector';
import { World } from 'umwelt';

const inspector = await startInspector({
  world: new World(),
  title: 'Packed',
  kinds: ['player'],
  kindOf: () => 0,
  tickSeconds: 0.05,
  bounds: { minX: 0, minY: 0, maxX: 100, maxY: 100 },
  commands: { play() {}, pause() {}, step() {}, setSpeed() {} },
  port: 0,
});
const page = await (await fetch(inspector.url)).text();
const files = [...page.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? '');
const answers = await Promise.all(files.map((file) => fetch(new URL(file, inspector.url))));
for (const answer of answers) await answer.arrayBuffer();
console.log(
  JSON.stringify({ files: files.length, answers: [...new Set(answers.map((answer) => answer.status))] }),
);
await inspector.close();
