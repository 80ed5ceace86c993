/**
 * What a page session needs of the connection to its page: a WebSocket of the server's, or a page in the same process.
 */
export interface PageSocket {
  readonly OPEN: number;
  readonly readyState: number;
  /** Bytes that wait to be taken. */
  readonly bufferedAmount: number;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  /** `code`: a WebSocket's. */
  close(code: number, reason: string): void;
  /** Answered by 'pong'. */
  ping(): void;
  /** At once, without a word. */
  terminate(): void;
  on(event: 'message', listener: (data: { toString(): string }, isBinary: boolean) => void): unknown;
  on(event: 'pong' | 'close' | 'error', listener: () => void): unknown;
}
