/** OpenTelemetry with its own SDK: spans that lie within each other, metrics that say what Prometheus is told, nothing once stopped. */
import { context, metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { observeGateway, observeWorld } from '../src/opentelemetry.ts';
import { GatewayStage } from './gateway-stage.ts';

const startMs = ({ startTime: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1000 + nanoseconds / 1e6;
const endMs = ({ endTime: [seconds, nanoseconds] }: ReadableSpan) => seconds * 1000 + nanoseconds / 1e6;
/** Times are rounded to nanoseconds one by one. */
const ROUNDING_MS = 0.001;

function sdk() {
  const spans = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  /** Name to values by labels, as JSON. */
  const collected = async () => {
    exporter.reset();
    await reader.forceFlush();
    const found = new Map<string, Record<string, unknown>>();
    for (const { scopeMetrics } of exporter.getMetrics()) {
      for (const { descriptor, dataPoints } of scopeMetrics.flatMap((scope) => scope.metrics)) {
        const points = dataPoints.map(({ attributes, value }) => [JSON.stringify(attributes), value]);
        found.set(descriptor.name, Object.fromEntries(points));
      }
    }
    return found;
  };
  return { spans, collected, tracer: provider.getTracer('test'), meter: meters.getMeter('test') };
}

describe('a gateway that is observed', () => {
  it('has a span for each tick, with detect, interest and publish one after the other inside', () => {
    const stage = new GatewayStage();
    const { spans, tracer, meter } = sdk();
    const stop = observeGateway(stage.gateway, { tracer, meter, attributes: { world: 'prime' } });
    stage.world.add({ x: 1, y: 0 });
    stage.world.add({ x: 0, y: 0, range: 10 });
    const beforeMs = performance.timeOrigin + performance.now();
    stage.gateway.publish(stage.world.tick());
    const afterMs = performance.timeOrigin + performance.now();

    const [detect, interest, publish, tick] = spans.getFinishedSpans() as [
      ReadableSpan,
      ReadableSpan,
      ReadableSpan,
      ReadableSpan,
    ];
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual([
      'umwelt.detect',
      'umwelt.interest',
      'umwelt.publish',
      'umwelt.tick',
    ]);
    expect(tick.attributes).toMatchObject({
      world: 'prime',
      'umwelt.tick': 1,
      'umwelt.entities': 2,
      'umwelt.entered': 1,
    });
    for (const part of [detect, interest, publish])
      expect(part.parentSpanContext?.spanId).toBe(tick.spanContext().spanId);
    expect(startMs(detect)).toBeCloseTo(startMs(tick), 2);
    expect(endMs(detect)).toBeCloseTo(startMs(interest), 2);
    expect(endMs(interest)).toBeCloseTo(startMs(publish), 2);
    expect(endMs(publish)).toBeCloseTo(endMs(tick), 2);
    expect(startMs(tick)).toBeGreaterThanOrEqual(beforeMs - ROUNDING_MS);
    expect(endMs(tick)).toBeLessThanOrEqual(afterMs + ROUNDING_MS);
    const { tickMs, detectMs } = stage.world.stats();
    expect(endMs(detect) - startMs(detect)).toBeCloseTo(detectMs, 2);
    expect(endMs(interest) - startMs(detect)).toBeCloseTo(tickMs, 2);

    stop();
    stage.gateway.publish(stage.world.tick());
    expect(spans.getFinishedSpans()).toHaveLength(4);
  });

  it('has the metrics that Prometheus is told, and those of its world', async () => {
    const stage = await new GatewayStage().listen();
    const { collected, tracer, meter } = sdk();
    const stop = observeGateway(stage.gateway, { tracer, meter, attributes: { world: 'prime' } });
    const watcher = stage.world.add({ x: 0, y: 0, range: 10 });
    stage.world.add({ x: 1, y: 0 });
    await stage.joinedPlayer(watcher);
    for (let tick = 0; tick < 3; tick++) stage.tick();

    const found = await collected();
    const text = await stage.gateway.metrics();
    const labels = JSON.stringify({ world: 'prime' });
    const told = (name: string) => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
    expect(told('umwelt_gateway_frames_total')).toBeGreaterThan(0);
    for (const name of ['frames', 'sent_bytes', 'records'])
      expect(found.get(`umwelt.gateway.${name}`)).toEqual({ [labels]: told(`umwelt_gateway_${name}_total`) });
    expect(found.get('umwelt.gateway.clients')).toEqual({ [labels]: 1 });
    const entered = JSON.stringify({ world: 'prime', kind: 'entered' });
    expect(found.get('umwelt.gateway.entities')).toMatchObject({
      [entered]: told('umwelt_gateway_entities_total\\{kind="entered"\\}'),
    });
    expect(found.get('umwelt.relations')).toEqual({ [labels]: 1 });
    expect(found.get('umwelt.entities')).toEqual({ [labels]: 2 });
    expect(found.get('umwelt.memory')).toEqual({ [labels]: stage.world.stats().memoryBytes });
    for (const name of ['umwelt.tick.duration', 'umwelt.detect.duration', 'umwelt.publish.duration'])
      expect(found.get(name)?.[labels], name).toMatchObject({ count: 3 });
    // Every one of Prometheus is there, but for the histogram.
    const names = [...text.matchAll(/^# TYPE umwelt_gateway_(\S+?)(?:_total)? (?:counter|gauge)$/gm)];
    expect(names.length).toBeGreaterThan(10);
    for (const [, name] of names) {
      const hasValues = new RegExp(`^umwelt_gateway_${name}(_total)?[ {]`, 'm').test(text);
      expect(found.has(`umwelt.gateway.${name}`), name).toBe(hasValues);
    }

    // The SDK goes on telling what it was told last.
    const last = found.get('umwelt.gateway.frames');
    stop();
    stage.world.add({ x: 2, y: 0 });
    stage.tick();
    expect(told('umwelt_gateway_frames_total')).toBe(last?.[labels]);
    expect(await stage.count('frames_total')).toBe(Number(last?.[labels]) + 1);
    const later = await collected();
    expect(later.get('umwelt.gateway.frames')).toEqual(last);
    expect(later.get('umwelt.entities') ?? {}).not.toEqual({ [labels]: 3 });
  });

  it('makes no spans of ticks that were quick enough, and still counts them', async () => {
    const stage = new GatewayStage();
    const { spans, collected, tracer, meter } = sdk();
    observeGateway(stage.gateway, { tracer, meter, slowMs: 3_600_000 });
    stage.gateway.publish(stage.world.tick());
    expect(spans.getFinishedSpans()).toEqual([]);
    expect((await collected()).get('umwelt.tick.duration')?.['{}']).toMatchObject({ count: 1 });
  });

  it('tells each observer of what was published, until that one is stopped', () => {
    const stage = new GatewayStage();
    const told: number[] = [];
    const observer = ({ tick }: { tick: number }) => told.push(tick);
    const [stopFirst, stopSecond] = [stage.gateway.observe(observer), stage.gateway.observe(observer)];
    stage.gateway.publish(stage.world.tick());
    stopFirst();
    stopFirst();
    stage.gateway.publish(stage.world.tick());
    stopSecond();
    stage.gateway.publish(stage.world.tick());
    expect(told).toEqual([1, 1, 2]);
  });
});

describe('a world that is observed', () => {
  it('has its ticks as spans', () => {
    const { spans, tracer, meter } = sdk();
    const world = new World();
    const observer = observeWorld(world, { tracer, meter });
    world.tick();
    observer.ticked();
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual([
      'umwelt.detect',
      'umwelt.interest',
      'umwelt.tick',
    ]);
    observer.stop();
  });

  it('has its pairs that relate, that linger and that wait as metrics', async () => {
    const { collected, tracer, meter } = sdk();
    const world = new World({ interests: { default: { lingerTicks: 2, enterBudget: 2 } } });
    const observer = observeWorld(world, { tracer, meter });
    world.add({ x: 0, y: 0, range: 10, marker: false });
    const [near] = world.addMany({ x: [1, 2, 3, 4, 5], y: [0, 0, 0, 0, 0] });
    world.tick();
    world.move(near!, 100, 0);
    world.tick();
    const found = await collected();
    const figures = ['relations', 'lingering', 'waiting'].map((name) => found.get(`umwelt.${name}`));
    expect(figures).toEqual([{ '{}': 4 }, { '{}': 1 }, { '{}': 1 }]);
    observer.stop();
  });

  it('costs a call where no SDK is registered', () => {
    expect(trace.getActiveSpan()).toBeUndefined();
    const world = new World();
    const observer = observeWorld(world);
    world.tick();
    observer.ticked();
    observer.stop();
    expect([context.active(), metrics.getMeter('umwelt')]).toHaveLength(2);
  });
});

it('what cannot be observed, and options that there are not, are refused', () => {
  const world = new World();
  const bad = expect.objectContaining({ code: 'BAD_OPTION' });
  expect(() => observeGateway({} as never)).toThrow(bad);
  expect(() => observeWorld({} as never)).toThrow(bad);
  expect(() => observeWorld(world, { slowMs: -1 })).toThrow(bad);
  expect(() => observeWorld(world, { slow: 1 } as never)).toThrow(bad);
  const { gateway } = new GatewayStage();
  expect(() => gateway.observe(undefined as never)).toThrow(bad);
});
