/**
 * The metrics of a gateway, as Prometheus metrics in a registry of its own.
 *
 * Counts are summed up during the tick and added once per tick: updating a metric for every client and entity
 * would cost more than the frame itself.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricReading, PublishReport } from './publish-report.ts';

export class GatewayMetrics {
  readonly registry = new Registry();
  readonly clients = this.#gauge('clients', 'Sessions, including those without a connection');
  readonly connections = this.#gauge('connections', 'Connections, including those not admitted yet');
  readonly behind = this.#gauge(
    'clients_behind',
    'Clients sent no frame at the last tick because they are behind',
  );
  readonly tickSeconds = new Histogram({
    name: 'umwelt_gateway_publish_seconds',
    help: 'Duration of a publish, for all clients',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25],
    registers: [this.registry],
  });
  readonly frames = this.#counter('frames_total', 'Frames sent');
  readonly skipped = this.#counter('frames_skipped_total', 'Frames not sent to clients that were behind');
  readonly bytes = this.#counter('sent_bytes_total', 'Bytes of frames sent');
  readonly entities = this.#counter('entities_total', 'Entities in frames, by kind of change', ['kind']);
  readonly deferred = this.#counter('deferred_total', 'Entities deferred to a later frame');
  readonly records = this.#counter('records_total', 'Records encoded; compare entities_total');
  readonly broadcasts = this.#counter('messages_total', 'Broadcast messages in frames');
  readonly broadcastsLost = this.#counter(
    'messages_lost_total',
    'Broadcast messages dropped because of a limit',
  );
  readonly inputs = this.#counter('inputs_total', 'Inputs passed to the game');
  readonly inputsDropped = this.#counter(
    'inputs_dropped_total',
    'Inputs dropped because they exceed the rate of their session',
  );
  readonly joins = this.#counter('joins_total', 'Sessions joined: new, resumed or replaced', ['how']);
  readonly closes = this.#counter('closes_total', 'Connections ended, by reason', ['why']);
  readonly faults = this.#counter('faults_total', 'Errors thrown by the game in a hook', ['hook']);

  /** Adds the counts of one publish. */
  add(report: PublishReport): void {
    this.frames.inc(report.frames);
    this.bytes.inc(report.bytes);
    this.entities.inc({ kind: 'entered' }, report.entered);
    this.entities.inc({ kind: 'updated' }, report.updated);
    this.entities.inc({ kind: 'left' }, report.left);
    this.broadcasts.inc(report.messages);
    this.broadcastsLost.inc(report.lost);
    this.deferred.inc(report.deferred);
    this.skipped.inc(report.behind);
    this.behind.set(report.behind);
    this.tickSeconds.observe(report.durationMs / 1000);
  }

  /** All metrics except the histogram: a `PublishReport` has the single durations. */
  async readings(): Promise<readonly MetricReading[]> {
    const readings = await this.registry.getMetricsAsJSON();
    return readings.flatMap(({ name, help, type, values }): MetricReading[] => {
      const kind = String(type);
      if (kind !== 'counter' && kind !== 'gauge') return [];
      const found = values.map((each) => ({
        labels: each.labels as Record<string, string | number>,
        value: each.value,
      }));
      return [{ name, help, kind, values: found }];
    });
  }

  #gauge(name: string, help: string): Gauge {
    return new Gauge({ name: `umwelt_gateway_${name}`, help, registers: [this.registry] });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name: `umwelt_gateway_${name}`, help, labelNames, registers: [this.registry] });
  }
}
