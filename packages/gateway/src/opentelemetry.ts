/**
 * Spans and metrics by OpenTelemetry, beside Prometheus: `@umwelt/gateway/opentelemetry`, which needs `@opentelemetry/api`.
 *
 * Nothing in the engine or the gateway knows of it. A tick is over when its spans are made: the world keeps how long its last tick and
 * its detector took, so the spans get the times at which these began and ended. Who does not import this pays nothing; without a
 * registered SDK the API's own tracer and meter do nothing.
 *
 * One span a tick, `umwelt.tick`, from the tick's begin to the end of what was done with it, and in it `umwelt.detect` (which pairs
 * crossed), `umwelt.interest` (seats and reports) and, where a gateway published, `umwelt.publish`. A tick is taken to have ended right
 * before `publish` began, as `gateway.publish(world.tick())` has it; what a game does in between counts as before the tick.
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
  /** The registered provider's, of the name 'umwelt', unless given. */
  readonly tracer?: Tracer;
  /** The registered provider's, of the name 'umwelt', unless given. */
  readonly meter?: Meter;
  /** Of every span and value: which world or room it is. None unless given. */
  readonly attributes?: Attributes;
  /** Spans only of ticks that took at least so long, publishing included, in milliseconds; 0. Metrics are of all. */
  readonly slowMs?: number;
}

/** What is used of a `Gateway`. */
export interface ObservedGateway {
  /** Whose ticks it publishes. */
  readonly world: GatewayWorld;
  /** Tells of each publish, until the function that is returned is called. */
  observe(observer: (report: PublishReport) => void): () => void;
  /** Its metrics as data. */
  readings(): Promise<readonly MetricReading[]>;
}

/** What is used of a `World`. */
export type ObservedWorld = Pick<WorldReader, 'stats'>;

/**
 * Spans of each tick that the gateway publishes, and its metrics and its world's, until the function that is returned is called. Metrics
 * have the names of Prometheus with dots for underscores and without `_total`: `umwelt.gateway.frames`. Of a world, `umwelt.tick.duration`,
 * `umwelt.detect.duration`, `umwelt.publish.duration` (histograms, in seconds), `umwelt.relations`, `umwelt.lingering`,
 * `umwelt.waiting`, `umwelt.entities`, `umwelt.memory` (bytes). Throws `BAD_OPTION`.
 */
export function observeGateway(gateway: ObservedGateway, options: ObserveOptions = {}): () => void {
  if (typeof gateway?.observe !== 'function') throw badOption('gateway', gateway, 'a Gateway');
  const observer = new TickObserver(gateway.world, options);
  const publishSeconds = observer.histogram('umwelt.publish.duration', 'Time to bring a tick to all clients');
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
  /** To be called right after each `world.tick()`. */
  ticked(): void;
  /** No more metrics. */
  stop(): void;
}

/**
 * The same for a world that no gateway publishes: spans `umwelt.tick`, `umwelt.detect` and `umwelt.interest`, and the world's metrics.
 * Throws `BAD_OPTION`.
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
    this.#tickSeconds = this.histogram('umwelt.tick.duration', "A world's tick, without listeners");
    this.#detectSeconds = this.histogram('umwelt.detect.duration', 'Of it, to find which pairs crossed');
    const gauge = (name: string, description: string, unit: string, of: (stats: WorldStats) => number) => {
      const made = this.#meter.createObservableGauge(name, { description, unit });
      const callback: ObservableCallback = (result) => result.observe(of(world.stats()), attributes);
      made.addCallback(callback);
      this.#stops.push(() => made.removeCallback(callback));
    };
    const pairs = (name: string, description: string, of: (stats: WorldStats) => number) =>
      gauge(name, description, '{pair}', of);
    pairs('umwelt.relations', 'Pairs related as of the last tick', (stats) => stats.relationCount);
    pairs('umwelt.lingering', 'Of those, pairs that linger', (stats) => stats.lingeringCount);
    pairs('umwelt.waiting', 'Pairs that wait to enter', (stats) => stats.waitingCount);
    gauge('umwelt.entities', 'Entities present', '{entity}', (stats) => stats.entities);
    gauge('umwelt.memory', 'All columns and structures of the world', 'By', (stats) => stats.memoryBytes);
  }

  histogram(name: string, description: string) {
    return this.#meter.createHistogram(name, { description, unit: 's' });
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  /** A tick is over, and, with a report, published. */
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

  /** Has the meter read what somebody else counts, whenever it collects. */
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
    // Which there are is known once they have been read.
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

/** Of a time by `performance.now()`. */
function epochMs(ms: number): number {
  return performance.timeOrigin + ms;
}
