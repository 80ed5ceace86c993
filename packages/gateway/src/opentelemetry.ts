/**
 * OpenTelemetry spans and metrics, in addition to Prometheus: `@umwelt/gateway/opentelemetry`. Needs
 * `@opentelemetry/api`.
 *
 * The engine and the gateway do not depend on this module; without importing it there is no cost. Without a
 * registered SDK, the tracer and the meter of the API do nothing. Spans are created after the tick: the world
 * keeps the durations of its last tick and of its detector, and the spans get start and end times computed
 * from these.
 *
 * One span per tick, `umwelt.tick`, from the start of the tick to the end of `publish`. Its children are
 * `umwelt.detect` (which pairs crossed), `umwelt.interest` (seats and reports) and, if a gateway published,
 * `umwelt.publish`. A tick is assumed to end right before `publish` starts, as in
 * `gateway.publish(world.tick())`; time that the game spends in between shifts the tick's spans by that
 * amount.
 */
import {
  type Attributes,
  type BatchObservableCallback,
  context,
  type Meter,
  metrics,
  type Observable,
  type ObservableCallback,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { WorldReader, WorldStats } from 'umwelt';
import type { GatewayWorld } from './appearance/gateway-world.ts';
import { badOption } from './bounds/bad-option.ts';
import { checkKeys } from './bounds/option-keys.ts';
import type { MetricReading, PublishReport } from './telemetry/publish-report.ts';

const NAME = 'umwelt';

/** Options of `observeGateway` and `observeWorld`. */
export interface ObserveOptions {
  /** The tracer named 'umwelt' of the registered provider unless given. */
  readonly tracer?: Tracer;
  /** The meter named 'umwelt' of the registered provider unless given. */
  readonly meter?: Meter;
  /** Attributes of every span and value, for example the name of the world or room. None unless given. */
  readonly attributes?: Attributes;
  /**
   * Creates spans only for ticks that took at least this long, including `publish`, in milliseconds. Default
   * 0. Metrics cover all ticks.
   */
  readonly slowMs?: number;
}

/** The part of a `Gateway` that is used. */
export interface ObservedGateway {
  /** The world that it replicates. */
  readonly world: GatewayWorld;
  /** Calls `observer` after each `publish` until the returned function is called. */
  observe(observer: (report: PublishReport) => void): () => void;
  /** Its metrics as data. */
  readings(): Promise<readonly MetricReading[]>;
}

/** The part of a `World` that is used. */
export type ObservedWorld = Pick<WorldReader, 'stats'>;

/**
 * Creates spans for each tick that the gateway publishes, and exports the metrics of the gateway and its
 * world, until the returned function is called. Metrics have their Prometheus names with dots instead of
 * underscores after `umwelt` and `gateway`, and without `_total`: `umwelt.gateway.frames`. Metrics of a
 * world: `umwelt.tick.duration`, `umwelt.detect.duration`, `umwelt.publish.duration` (histograms, in
 * seconds), `umwelt.relations`, `umwelt.lingering`, `umwelt.waiting`, `umwelt.entities`, `umwelt.memory`
 * (bytes). Throws `BAD_OPTION`.
 */
export function observeGateway(gateway: ObservedGateway, options: ObserveOptions = {}): () => void {
  if (typeof gateway?.observe !== 'function') throw badOption('gateway', gateway, 'a Gateway');
  const observer = new TickObserver(gateway.world, options);
  const publishSeconds = observer.histogram(
    'umwelt.publish.duration',
    'Duration of a publish, for all clients',
  );
  const stopReadings = observer.passOn(() => gateway.readings());
  const stopTicks = gateway.observe((report) => {
    publishSeconds.record(report.durationMs / 1000, observer.attributes);
    observer.ticked(report);
  });
  return () => {
    stopTicks();
    stopReadings();
    observer.stop();
  };
}

/** What `observeWorld` returns. */
export interface WorldObserver {
  /** Call this right after each `world.tick()`. */
  ticked(): void;
  /** Stops the metrics. */
  stop(): void;
}

/**
 * The same for a world that no gateway publishes: spans `umwelt.tick`, `umwelt.detect` and `umwelt.interest`,
 * and the metrics of the world. Throws `BAD_OPTION`.
 */
export function observeWorld(world: ObservedWorld, options: ObserveOptions = {}): WorldObserver {
  const observer = new TickObserver(world, options);
  return { ticked: () => observer.ticked(), stop: () => observer.stop() };
}

class TickObserver {
  readonly attributes: Attributes;
  readonly #world: ObservedWorld;
  readonly #tracer: Tracer;
  readonly #meter: Meter;
  readonly #slowMs: number;
  readonly #tickSeconds;
  readonly #detectSeconds;
  readonly #stops: (() => void)[] = [];

  constructor(world: ObservedWorld, options: ObserveOptions) {
    if (typeof world?.stats !== 'function') throw badOption('world', world, 'a World');
    checkKeys('observe', options, ['tracer', 'meter', 'attributes', 'slowMs']);
    const { slowMs = 0, attributes = {} } = options;
    if (!(typeof slowMs === 'number' && slowMs >= 0))
      throw badOption('slowMs', slowMs, 'a number of 0 or more');
    this.#world = world;
    this.attributes = attributes;
    this.#slowMs = slowMs;
    this.#tracer = options.tracer ?? trace.getTracer(NAME);
    this.#meter = options.meter ?? metrics.getMeter(NAME);
    this.#tickSeconds = this.histogram(
      'umwelt.tick.duration',
      "Duration of a world's tick, without listeners",
    );
    this.#detectSeconds = this.histogram(
      'umwelt.detect.duration',
      'Part of a tick that finds which pairs crossed',
    );
    const gauge = (name: string, description: string, unit: string, of: (stats: WorldStats) => number) => {
      const made = this.#meter.createObservableGauge(name, { description, unit });
      const callback: ObservableCallback = (result) => result.observe(of(world.stats()), attributes);
      made.addCallback(callback);
      this.#stops.push(() => made.removeCallback(callback));
    };
    const pairs = (name: string, description: string, of: (stats: WorldStats) => number) =>
      gauge(name, description, '{pair}', of);
    pairs('umwelt.relations', 'Pairs related as of the last tick', (stats) => stats.relationCount);
    pairs('umwelt.lingering', 'Related pairs that linger', (stats) => stats.lingeringCount);
    pairs('umwelt.waiting', 'Pairs that wait to enter', (stats) => stats.waitingCount);
    gauge('umwelt.entities', 'Entities present', '{entity}', (stats) => stats.entities);
    gauge(
      'umwelt.memory',
      'Memory of all columns and structures of the world',
      'By',
      (stats) => stats.memoryBytes,
    );
  }

  histogram(name: string, description: string) {
    return this.#meter.createHistogram(name, { description, unit: 's' });
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** A tick has ended and, if a report is given, has been published. */
  ticked(published?: PublishReport): void {
    const { tick, tickMs, detectMs, ...stats } = this.#world.stats();
    this.#tickSeconds.record(tickMs / 1000, this.attributes);
    this.#detectSeconds.record(detectMs / 1000, this.attributes);
    const tickEndMs = published?.startMs ?? performance.now();
    const startMs = tickEndMs - tickMs;
    const endMs = tickEndMs + (published?.durationMs ?? 0);
    if (endMs - startMs < this.#slowMs) return;
    const whole = this.#tracer.startSpan('umwelt.tick', {
      startTime: epochMs(startMs),
      attributes: {
        ...this.attributes,
        'umwelt.tick': tick,
        'umwelt.entities': stats.entities,
        'umwelt.moved': stats.movedCount,
        'umwelt.entered': stats.enteredCount,
        'umwelt.left': stats.leftCount,
        'umwelt.updated': stats.updatedCount,
      },
    });
    if (whole.isRecording()) {
      const inside = trace.setSpan(context.active(), whole);
      const part = (name: string, fromMs: number, toMs: number, attributes: Attributes = {}) =>
        this.#tracer.startSpan(name, { startTime: epochMs(fromMs), attributes }, inside).end(epochMs(toMs));
      part('umwelt.detect', startMs, startMs + detectMs);
      part('umwelt.interest', startMs + detectMs, tickEndMs);
      if (published !== undefined) {
        part('umwelt.publish', tickEndMs, endMs, {
          'umwelt.frames': published.frames,
          'umwelt.bytes': published.bytes,
          'umwelt.deferred': published.deferred,
          'umwelt.behind': published.behind,
        });
      }
    }
    whole.end(epochMs(endMs));
  }

  /** Makes the meter read metrics that are counted elsewhere, whenever it collects. */
  passOn(read: () => Promise<readonly MetricReading[]>): () => void {
    const instruments = new Map<string, Observable>();
    const callback: BatchObservableCallback = async (result) => {
      for (const reading of await read()) {
        const instrument = instruments.get(reading.name);
        if (instrument === undefined) continue;
        for (const { labels, value } of reading.values)
          result.observe(instrument, value, { ...this.attributes, ...labels });
      }
    };
    let isStopped = false;
    // The instruments are known after the first reading.
    void read().then((readings) => {
      if (isStopped) return;
      for (const { name, help, kind } of readings) {
        const told = name.replace(/_total$/, '').replace(/^umwelt_gateway_/, 'umwelt.gateway.');
        const made =
          kind === 'counter'
            ? this.#meter.createObservableCounter(told, { description: help })
            : this.#meter.createObservableGauge(told, { description: help });
        instruments.set(name, made);
      }
      this.#meter.addBatchObservableCallback(callback, [...instruments.values()]);
    });
    return () => {
      isStopped = true;
      if (instruments.size > 0)
        this.#meter.removeBatchObservableCallback(callback, [...instruments.values()]);
    };
  }
}

/** Converts a time of `performance.now()`. */
function epochMs(ms: number): number {
  return performance.timeOrigin + ms;
}
