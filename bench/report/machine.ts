/** The machine that measured: what a reader needs to judge a time, and a name for its file of results. */
import { availableParallelism, cpus, totalmem } from 'node:os';

export interface Machine {
  /** The name of its file: kebab-case, from the processor and its cores. */
  readonly name: string;
  readonly processor: string;
  /** The cores that this process may use. */
  readonly cores: number;
  readonly memoryGiB: number;
  /** As `linux x64`. */
  readonly platform: string;
}

export function thisMachine(): Machine {
  const processor = cpus()[0]?.model.trim() || 'unknown processor';
  const cores = availableParallelism();
  return {
    name: machineName(processor, cores),
    processor,
    cores,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
  };
}

/** `Intel(R) Xeon(R) Processor` on 2 cores is `intel-xeon-processor-2-cores`. */
export function machineName(processor: string, cores: number): string {
  const words = processor.toLowerCase().replace(/\((r|tm|c)\)/g, ' ');
  const kebab = words.replace(/[^a-z0-9.]+/g, '-').replace(/^-+|-+$/g, '');
  return `${kebab}-${cores}-${cores === 1 ? 'core' : 'cores'}`;
}
