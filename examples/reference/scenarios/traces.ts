// Example of: loadTrace, openTrace, readTrace, Trace, TraceSample, TraceBatch, TraceBytes, TraceFileOptions, TraceOptions, TracePlayOptions, TraceReadOptions
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  loadTrace,
  openTrace,
  readTrace,
  type Trace,
  type TraceBatch,
  type TraceBytes,
  type TraceFileOptions,
  type TraceOptions,
  type TracePlayOptions,
  type TraceReadOptions,
  type TraceSample,
} from '@umwelt/scenarios';

const lines = ['id,t,x,y', 'ada,0,0,0', 'lin,0,30,0', 'ada,2,4,0', 'lin,2,30,5'];
const text = `${lines.join('\n')}\n`;

// From bytes, in pieces of any size; columns in the file's own order.
const bytes: TraceBytes = [new TextEncoder().encode(text)];
const columns: TraceReadOptions = { columns: ['id', 't', 'x', 'y'] };
const samples: TraceSample[] = [];
for await (const batch of readTrace(bytes, columns)) {
  const { dimensions, samples: some }: TraceBatch = batch;
  if (dimensions === 2) samples.push(...some);
}
console.log(samples.length, samples[0]?.id); // 4 ada

// From a file, also .gz, for any number of playbacks.
const folder = await mkdtemp(path.join(tmpdir(), 'trace-'));
const file = path.join(folder, 'walk.csv');
await writeFile(file, text);
const reading: TraceFileOptions = { ...columns, gapSeconds: 5 };
const trace: Trace = await loadTrace(file, reading);
console.log(trace.idCount, trace.seconds); // 2 2

const playing: TracePlayOptions = { speed: 1, range: 50, loop: false };
const simulation = trace.play(playing);
for (let step = 0; step < 10; step++) simulation.step();
console.log(simulation.count, simulation.x[0]?.toFixed(1)); // 2 0.9
const both: TraceOptions = { ...reading, ...playing };
console.log((await openTrace(file, both)).title); // walk
await rm(folder, { recursive: true });
