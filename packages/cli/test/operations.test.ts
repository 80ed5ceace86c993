/** What docs/operations.md and the Grafana dashboard say of metrics is so: each one that they name exists, and none is left out. */
import { readFileSync } from 'node:fs';
import { joinWorld, memoryLog, NodeMetrics } from '@umwelt/cluster';
import { Gateway } from '@umwelt/gateway';
import { World } from 'umwelt';
import { beforeAll, describe, expect, it } from 'vitest';
import { ServeMetrics } from '../src/serve/serve-metrics.ts';

const read = (file: string) => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8');
const guide = read('operations.md');

interface Panel {
  readonly type: string;
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard = JSON.parse(read('grafana/umwelt.json')) as { readonly panels: readonly Panel[] };
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Name to kind, and the labels that a metric's source declares. */
const kinds = new Map<string, string>();
const labels = new Map<string, string>([
  // Of those without a value yet no text tells.
  ['umwelt_gateway_entities_total', 'kind'],
  ['umwelt_gateway_joins_total', 'how'],
  ['umwelt_gateway_closes_total', 'why'],
  ['umwelt_gateway_faults_total', 'hook'],
  ['umwelt_serve_commands_total', 'kind'],
  ['umwelt_serve_refused_total', 'code'],
  ['umwelt_serve_rows_total', 'list'],
  ['umwelt_serve_closes_total', 'why'],
  ['umwelt_cluster_gone_total', 'why'],
  ['umwelt_cluster_checkpoints_total', 'outcome'],
  ['umwelt_cluster_questions_total', 'outcome'],
]);

beforeAll(async () => {
  const gateway = new Gateway(new World(), {
    tickMs: 50,
    appearance: { positionStep: 1 },
    authenticate: () => undefined,
  });
  const node = await joinWorld({ log: memoryLog(), name: 'one', tickMs: 50 });
  const texts = [
    await gateway.metrics(),
    await new NodeMetrics(node).registry.metrics(),
    new ServeMetrics().text(),
  ];
  node.halt();
  await gateway.drain();
  for (const text of texts) {
    for (const [, name = '', kind = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) kinds.set(name, kind);
  }
});

/** Without what a histogram's series end with. */
const metricOf = (series: string) => {
  const stem = series.replace(/_(bucket|sum|count)$/, '');
  return kinds.get(stem) === 'histogram' ? stem : series;
};

describe('the dashboard', () => {
  it('names no metric that there is not, and leaves none of a gateway or a service out', () => {
    const named = new Set(expressions.flatMap((text) => text.match(/umwelt_\w+/g) ?? []).map(metricOf));
    for (const name of named) expect([...kinds.keys()]).toContain(name);
    const missing = [...kinds.keys()].filter((name) => !named.has(name));
    // Positions in the log, and what bytes of it say better.
    expect(missing.map((name) => name.replace('umwelt_cluster_', '')).sort()).toEqual([
      'digest_tick',
      'member_records_total',
      'position',
      'records_total',
      'tick',
    ]);
  });

  it('takes rates of counters alone, and groups by labels that the metric has', () => {
    for (const text of expressions) {
      for (const [, wrapped = ''] of text.matchAll(/(?:rate|increase)\((umwelt_\w+)/g))
        expect(['counter', 'histogram'], text).toContain(kinds.get(metricOf(wrapped)));
      const bare = text.replaceAll(/(?:rate|increase)\([^)]*\)/g, '').match(/umwelt_\w+/g) ?? [];
      for (const name of bare) expect(kinds.get(name), text).toBe('gauge');
      const [, label] = /sum by \((\w+)\)/.exec(text) ?? [];
      if (label !== undefined && label !== 'le')
        expect(labels.get(/umwelt_\w+/.exec(text)![0]), text).toBe(label);
    }
  });

  it('has a number and a name for each panel, and no panel without a line', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { type, title, targets = [] } of panels) {
      expect(title).not.toBe('');
      if (type !== 'row') expect(targets.length, title).toBeGreaterThan(0);
    }
  });
});

it('the guide says of each metric what it means, and of no other', () => {
  const told = new Set<string>();
  let prefix = '';
  for (const line of guide.split('\n')) {
    prefix = /all `(umwelt_\w+_)`/.exec(line)?.[1] ?? prefix;
    const cell = /^\| (`[^|]+) \|/.exec(line)?.[1];
    if (cell === undefined || prefix === '') continue;
    for (const [, name = ''] of cell.matchAll(/`(?:rate\()?([a-z_]+)(?:\{\w+\})?\)?`/g)) {
      if (!name.startsWith('umwelt')) told.add(prefix + name);
    }
  }
  const known = [...kinds.keys()].filter((name) => !name.startsWith('umwelt_cluster_'));
  expect([...told].filter((name) => !name.startsWith('umwelt_cluster_')).sort()).toEqual(known.sort());
  for (const name of told) if (name.startsWith('umwelt_cluster_')) expect([...kinds.keys()]).toContain(name);
});
