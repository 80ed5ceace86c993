/**
 * Creates workers with the platform's means, found by name at run time: core has neither Node nor DOM types, and
 * imports nothing.
 *
 *   Node, Deno, Bun   node:worker_threads, through process.getBuiltinModule
 *   browsers          Worker, from a blob's address; shared memory only where the page is cross-origin isolated
 *
 * A worker never keeps a process alive. If no worker can be created, `canMakeWorkers` returns false or `makeWorker`
 * returns `undefined`, and the main thread does all the work.
 */

/** A worker, as a crew uses it. */
export interface WorkerHandle {
  postMessage(message: object): void;
  /** Ends the worker; resolves when it has ended. */
  end(): Promise<void>;
}

/** Called once when a worker has ended, or could not start. */
export type EndListener = (reason: string) => void;

interface NodeWorker {
  postMessage(message: object): void;
  terminate(): Promise<number>;
  on(event: 'error' | 'exit', listener: (what: unknown) => void): void;
  ref(): void;
  unref(): void;
}

interface WebWorker {
  postMessage(message: object): void;
  terminate(): void;
  addEventListener(event: 'error', listener: (what: { message?: string }) => void): void;
}

interface Platform {
  process?: { getBuiltinModule?: (name: string) => object | undefined };
  Worker?: new (address: string) => WebWorker;
  Blob?: new (parts: string[], options: { type: string }) => object;
  URL?: { createObjectURL?: (blob: object) => string; revokeObjectURL?: (address: string) => void };
  SharedArrayBuffer?: unknown;
  crossOriginIsolated?: boolean;
}

type NodeWorkerMaker = new (source: string, options: object) => NodeWorker;

/** Read in each call: a test may remove something. */
function platform(): Platform {
  return globalThis as Platform;
}

/** Whether the platform has memory that threads can share, and a way to create workers. */
export function canMakeWorkers(): boolean {
  const global = platform();
  if (global.SharedArrayBuffer === undefined || global.crossOriginIsolated === false) return false;
  return nodeWorkers() !== undefined || (global.Worker !== undefined && global.Blob !== undefined);
}

/** A worker that runs the source; `undefined` if the platform refuses. */
export function makeWorker(source: string, name: string, onEnd: EndListener): WorkerHandle | undefined {
  try {
    const Maker = nodeWorkers();
    return Maker === undefined ? makeWebWorker(source, onEnd) : makeNodeWorker(Maker, source, name, onEnd);
  } catch {
    return undefined;
  }
}

function nodeWorkers(): NodeWorkerMaker | undefined {
  const workers = platform().process?.getBuiltinModule?.('node:worker_threads');
  return (workers as { Worker?: NodeWorkerMaker } | undefined)?.Worker;
}

function makeNodeWorker(
  Maker: NodeWorkerMaker,
  source: string,
  name: string,
  onEnd: EndListener,
): WorkerHandle {
  // Loaders and checks that the process was started with do not apply to this source.
  const worker = new Maker(source, { eval: true, name, execArgv: [], env: {} });
  worker.on('error', (error) => onEnd(error instanceof Error ? error.message : String(error)));
  worker.on('exit', (code) => onEnd(`it ended with code ${code}`));
  worker.unref();
  return {
    postMessage: (message) => worker.postMessage(message),
    end: async () => {
      // Keeps the process alive until the worker has ended, because the caller waits for that.
      worker.ref();
      await worker.terminate();
    },
  };
}

function makeWebWorker(source: string, onEnd: EndListener): WorkerHandle | undefined {
  const { Worker: Maker, Blob: Text, URL: addresses } = platform();
  if (Maker === undefined || Text === undefined || addresses?.createObjectURL === undefined) return undefined;
  const address = addresses.createObjectURL(new Text([source], { type: 'text/javascript' }));
  const worker = new Maker(address);
  worker.addEventListener('error', ({ message }) => onEnd(message ?? 'it could not begin'));
  return {
    postMessage: (message) => worker.postMessage(message),
    end: () => {
      worker.terminate();
      addresses.revokeObjectURL?.(address);
      return Promise.resolve();
    },
  };
}
