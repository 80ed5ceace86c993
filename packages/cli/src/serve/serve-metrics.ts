/**
 * The metrics of a service, in the text format of Prometheus.
 *
 * A dozen metrics need no library: a name, a help text, and values by label.
 */

type Kind = 'counter' | 'gauge';

class Metric {
  readonly #name: string;
  readonly #help: string;
  readonly #kind: Kind;
  readonly #label: string | undefined;
  readonly #values = new Map<string, number>();

  constructor(name: string, kind: Kind, help: string, label?: string) {
    this.#name = `umwelt_serve_${name}`;
    this.#help = help;
    this.#kind = kind;
    this.#label = label;
    if (label === undefined) this.#values.set('', 0);
  }

  /** `labelValue` must be one of a few fixed words. */
  add(count: number, labelValue = ''): void {
    this.#values.set(labelValue, (this.#values.get(labelValue) ?? 0) + count);
  }

  set(value: number): void {
    this.#values.set('', value);
  }

  of(labelValue = ''): number {
    return this.#values.get(labelValue) ?? 0;
  }

  text(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} ${this.#kind}`];
    for (const [value, number] of this.#values) {
      lines.push(`${this.#name}${this.#label === undefined ? '' : `{${this.#label}="${value}"}`} ${number}`);
    }
    return lines.join('\n');
  }
}

export class ServeMetrics {
  readonly callers = new Metric('callers', 'gauge', 'Connections that have said hello');
  readonly entities = new Metric('entities', 'gauge', 'Entities present');
  readonly ticks = new Metric('ticks_total', 'counter', 'Ticks of the world');
  readonly batches = new Metric('batches_total', 'counter', 'Batches processed');
  readonly commands = new Metric(
    'commands_total',
    'counter',
    'Commands processed, refused ones included',
    'kind',
  );
  readonly refused = new Metric('refused_total', 'counter', 'Commands refused', 'code');
  readonly receivedBytes = new Metric('received_bytes_total', 'counter', 'Bytes of batches processed');
  readonly sentBytes = new Metric('sent_bytes_total', 'counter', 'Bytes of views sent');
  readonly rows = new Metric('rows_total', 'counter', 'Lists of views sent', 'list');
  readonly ticksMissed = new Metric(
    'ticks_missed_total',
    'counter',
    'Ticks that were not sent to a caller because it was behind',
  );
  readonly closes = new Metric('closes_total', 'counter', 'Connections ended', 'why');
  readonly faults = new Metric('faults_total', 'counter', 'Internal errors of the service');

  text(): string {
    const metrics = Object.values(this).filter((value) => value instanceof Metric);
    return `${metrics.map((metric) => metric.text()).join('\n')}\n`;
  }
}
