/**
 * Hello and batches as JSON, for trying by hand: a writer, and a reader for text from untrusted callers.
 *
 * A batch is one object or an array of them: `{"do": "put", "key": "guard", "x": 0, "y": 0, "range": 50}`. Each command can be
 * read on its own, so an invalid one is refused and the connection stays open.
 */
import type { Command, CommandSink, Hello, Properties, PutProperties, SoundProperties } from './command.ts';
import { isKey } from './key.ts';
import { shownJson } from './refusal.ts';
import { SERVE_VERSION, SERVE_VERSION_OLDEST, TOKEN_BYTES_MAX } from './serve-format.ts';

const A_KEY = 'a whole number of 0 to 2^53 - 1, or a text of 1 to 64 bytes';
/** Values of `do` other than tick. */
const KEYED = new Set(['put', 'update', 'touch', 'remove', 'attach', 'detach', 'sound']);

export function writeHelloText(token: string, version: number = SERVE_VERSION): string {
  return JSON.stringify({ do: 'hello', version, token });
}

/** `tell`: receives what is wrong with text that is no hello. */
export function readHelloText(text: string, tell: (why: string) => void = () => {}): Hello {
  const value = parsed(text);
  if (!isObject(value) || value.do !== 'hello') {
    tell('expected a hello first, alone, such as {"do":"hello"}');
    return undefined;
  }
  const { token = '', version = SERVE_VERSION } = value;
  const isKnown =
    typeof version === 'number' &&
    version >= SERVE_VERSION_OLDEST &&
    version <= SERVE_VERSION &&
    version % 1 === 0;
  if (!isKnown) return { kind: 'other version' };
  if (typeof token === 'string' && Buffer.byteLength(token) <= TOKEN_BYTES_MAX)
    return { kind: 'hello', version, token };
  tell(`token: expected text of at most ${TOKEN_BYTES_MAX} bytes`);
  return undefined;
}

export function writeBatchText(commands: readonly Command[]): string {
  const flat = commands.map((command) =>
    'properties' in command ? { ...command, properties: undefined, ...command.properties } : command,
  );
  return JSON.stringify(flat);
}

/** Calls the sink for each command of the batch, until the sink has enough. */
export function readBatchText(text: string, sink: CommandSink): void {
  const value = parsed(text);
  if (value === undefined) sink.nonsense('expected JSON: a command, or an array of commands');
  else if (!Array.isArray(value)) readCommand(value, sink);
  else {
    for (const one of value) {
      if (sink.hasEnough) return;
      readCommand(one, sink);
    }
  }
}

function readCommand(value: unknown, sink: CommandSink): void {
  if (!isObject(value)) {
    sink.nonsense('expected an object such as {"do": "put", "key": "guard", "x": 0, "y": 0}');
    return;
  }
  const { do: what, key, ...rest } = value;
  if (what === 'tick') {
    sink.tick();
  } else if (typeof what !== 'string' || !KEYED.has(what)) {
    sink.nonsense(`do: ${shownJson(what)} was given, expected ${[...KEYED].join(', ')} or tick`);
  } else if (!isKey(key)) {
    sink.nonsense(`key: ${shownJson(key)} was given, expected ${A_KEY}`);
  } else if (what === 'put') {
    const { x, y, z, ...properties } = rest;
    const hasProperties = Object.keys(properties).length > 0;
    // The world refuses values that are no numbers.
    sink.put(
      key,
      x as number,
      y as number,
      z as number | undefined,
      hasProperties ? (properties as PutProperties) : undefined,
    );
  } else if (what === 'sound') {
    const { x, y, z, ...properties } = rest;
    sink.sound(key, x as number, y as number, z as number | undefined, properties as SoundProperties);
  } else if (what === 'update') {
    sink.update(key, rest as Properties);
  } else if (what === 'attach') {
    const { to, x, y, z } = rest;
    // As above: the world refuses invalid offsets.
    if (isKey(to)) sink.attach(key, to, x as number, y as number, z as number | undefined);
    else sink.nonsense(`to: ${shownJson(to)} was given, expected the key of its parent, ${A_KEY}`);
  } else if (what === 'touch') {
    sink.touch(key);
  } else if (what === 'detach') {
    sink.detach(key);
  } else {
    sink.remove(key);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
