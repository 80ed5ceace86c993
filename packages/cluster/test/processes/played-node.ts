/** A node's process as the run sees it: started, killed, stopped, gone on, and what it says meanwhile. */
import { type ChildProcess, fork } from 'node:child_process';
import type { NodeReport } from '../simulation/report.ts';
import type { NodeMessage, NodeSettings, NodeStanding } from './node-process.ts';

const SCRIPT = new URL('node-process.ts', import.meta.url);

export class PlayedNode {
  readonly name: string;
  state: 'starting' | 'joined' | 'stopped' | 'dead' = 'starting';
  /** Of its gateway, once it joined. */
  port = 0;
  /** What it printed as errors. */
  errors = '';
  readonly #child: ChildProcess;
  #standing: ((standing: NodeStanding) => void) | undefined;

  constructor(
    settings: NodeSettings,
    heard: { report(report: NodeReport): void; fault(reason: string): void },
  ) {
    this.name = settings.name;
    const child = fork(SCRIPT, [JSON.stringify(settings)], {
      execArgv: ['--conditions=umwelt:source'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    child.stderr?.on('data', (text: Buffer) => {
      this.errors += text.toString();
    });
    child.on('message', (message: NodeMessage) => {
      if (message.kind === 'report') heard.report(message.report);
      else if (message.kind === 'joined') {
        this.state = 'joined';
        this.port = message.port;
      } else if (message.kind === 'standing') this.#standing?.(message.standing);
      else heard.fault(`${this.name} failed: ${message.reason}`);
    });
    child.once('exit', (code, signal) => {
      this.state = 'dead';
      if (signal !== 'SIGKILL') heard.fault(`${this.name} ended with ${code ?? signal}: ${this.errors}`);
    });
  }

  /** Resolves when it is dead. */
  kill(): Promise<void> {
    if (this.state === 'dead') return Promise.resolve();
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill('SIGKILL');
    });
  }

  stop(): void {
    if (this.state === 'dead') return;
    this.#child.kill('SIGSTOP');
    this.state = 'stopped';
  }

  /** It goes on as if nothing had been. */
  goOn(): void {
    if (this.state !== 'stopped') return;
    this.#child.kill('SIGCONT');
    this.state = 'joined';
  }

  standing(): Promise<NodeStanding> {
    return new Promise((resolve) => {
      this.#standing = resolve;
      this.#child.send('standing');
    });
  }
}
