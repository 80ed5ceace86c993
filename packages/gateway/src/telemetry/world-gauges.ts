/**
 * What a world says of its newest tick, as Prometheus gauges in a registry of their own.
 *
 * They are read from `world.stats()` when the metrics are asked for, so a tick pays nothing for them. OpenTelemetry has
 * the same from `observeWorld`, for every tick.
 */
import { Gauge, Registry } from 'prom-client';
import { UmweltError, type WorldReader, type WorldStats } from 'umwelt';

const GAUGES: readonly [name: string, help: string, of: (stats: WorldStats) => number][] = [
  ['tick_seconds', 'Duration of the newest tick, without listeners', ({ tickMs }) => tickMs / 1000],
  ['detect_seconds', 'The part of it that found the pairs that crossed', ({ detectMs }) => detectMs / 1000],
  ['entities', 'Entities in the world', ({ entities }) => entities],
  ['moved', 'Entities that the newest tick found moved', ({ movedCount }) => movedCount],
  ['relations', 'Pairs of a watcher and a marker that are related', ({ relationCount }) => relationCount],
  ['memory_bytes', 'Bytes of all columns and structures of the world', ({ memoryBytes }) => memoryBytes],
];

export class WorldGauges {
  readonly #registry = new Registry();
  readonly #gauges = GAUGES.map(([name, help, of]) => ({
    gauge: new Gauge({ name: `umwelt_world_${name}`, help, registers: [this.#registry] }),
    of,
  }));

  /** The gauges as text; '' once the world is disposed. */
  async text(world: Pick<WorldReader, 'stats'>): Promise<string> {
    let stats: WorldStats;
    try {
      stats = world.stats();
    } catch (error) {
      if (error instanceof UmweltError && error.code === 'DISPOSED') return '';
      throw error;
    }
    for (const { gauge, of } of this.#gauges) gauge.set(of(stats));
    return this.#registry.metrics();
  }
}
