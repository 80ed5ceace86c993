/**
 * Hello and batches in binary: a writer, and a reader for bytes from untrusted callers.
 *
 * Properties are rare compared with positions, so they are JSON here too, with the same names as in the engine's API.
 */
import type { Command, CommandSink, Hello, Properties, SoundProperties } from './command.ts';
import { MessageReader, MessageWriter } from './message-bytes.ts';
import {
  ATTACH,
  BATCH,
  DETACH,
  HELLO,
  PROPERTIES_BYTES_MAX,
  PUT,
  PUT_WITH,
  REMOVE,
  SERVE_VERSION,
  SERVE_VERSION_OLDEST,
  SOUND,
  TICK,
  TOKEN_BYTES_MAX,
  TOUCH,
  UPDATE,
} from './serve-format.ts';

export function writeHello(token: string, version: number = SERVE_VERSION): Buffer {
  const writer = new MessageWriter();
  writer.byte(HELLO);
  writer.byte(version);
  writer.text(token);
  return writer.take();
}

/** `tell`: receives what is wrong with bytes that are no hello. */
export function readHello(bytes: Uint8Array, tell: (why: string) => void = () => {}): Hello {
  const reader = new MessageReader(bytes);
  if (reader.byte() !== HELLO) reader.breakOff(`a hello, which begins with ${HELLO}`, 0);
  const version = reader.byte();
  // The bytes after the version of another version have an unknown meaning.
  const isKnown = version >= SERVE_VERSION_OLDEST && version <= SERVE_VERSION;
  if (!reader.isBroken && !isKnown) return { kind: 'other version' };
  const token = reader.text(TOKEN_BYTES_MAX);
  if (!reader.isAtEnd) reader.breakOff('the end of the hello');
  if (!reader.isBroken) return { kind: 'hello', version, token };
  tell(reader.fault);
  return undefined;
}

/** @param dimensions of the service's world, as in its welcome. */
export function writeBatch(commands: readonly Command[], dimensions: 2 | 3): Buffer {
  const writer = new MessageWriter();
  writer.byte(BATCH);
  for (const command of commands) writeCommand(writer, command, dimensions);
  return writer.take();
}

function writeCommand(writer: MessageWriter, command: Command, dimensions: 2 | 3): void {
  switch (command.do) {
    case 'put':
      writer.byte(command.properties === undefined ? PUT : PUT_WITH);
      writer.key(command.key);
      writer.float32(command.x);
      writer.float32(command.y);
      if (dimensions === 3) writer.float32(command.z ?? 0);
      if (command.properties !== undefined) writer.text(JSON.stringify(command.properties));
      return;
    case 'sound':
      writer.byte(SOUND);
      writer.key(command.key);
      writer.float32(command.x);
      writer.float32(command.y);
      if (dimensions === 3) writer.float32(command.z ?? 0);
      writer.text(JSON.stringify(command.properties ?? {}));
      return;
    case 'update':
      writer.byte(UPDATE);
      writer.key(command.key);
      writer.text(JSON.stringify(command.properties));
      return;
    case 'tick':
      writer.byte(TICK);
      return;
    case 'attach':
      writer.byte(ATTACH);
      writer.key(command.key);
      writer.key(command.to);
      writer.float32(command.x ?? 0);
      writer.float32(command.y ?? 0);
      if (dimensions === 3) writer.float32(command.z ?? 0);
      return;
    default:
      writer.byte({ touch: TOUCH, remove: REMOVE, detach: DETACH }[command.do]);
      writer.key(command.key);
  }
}

/**
 * Calls the sink for each command of the batch, until the sink has enough. False: the bytes are invalid from some point on, which
 * `tell` receives; the commands before it have been delivered.
 */
export function readBatch(
  bytes: Uint8Array,
  dimensions: 2 | 3,
  sink: CommandSink,
  tell: (why: string) => void = () => {},
): boolean {
  const reader = new MessageReader(bytes);
  if (reader.byte() !== BATCH) reader.breakOff(`a batch, which begins with ${BATCH}`, 0);
  while (!reader.isAtEnd && !sink.hasEnough) readCommand(reader, dimensions, sink);
  if (reader.isBroken) tell(reader.fault);
  return !reader.isBroken;
}

function readCommand(reader: MessageReader, dimensions: 2 | 3, sink: CommandSink): void {
  const kind = reader.byte();
  if (kind === TICK) {
    sink.tick();
    return;
  }
  if (kind < PUT || kind > SOUND) reader.breakOff(`a command of ${PUT} to ${SOUND} before this byte`);
  const key = reader.key();
  if (kind === PUT || kind === PUT_WITH || kind === SOUND) {
    const x = reader.float32();
    const y = reader.float32();
    const z = dimensions === 3 ? reader.float32() : undefined;
    const properties = kind === PUT ? undefined : readProperties(reader);
    if (reader.isBroken) return;
    if (kind === SOUND) sink.sound(key, x, y, z, properties as SoundProperties);
    else sink.put(key, x, y, z, properties);
  } else if (kind === UPDATE) {
    const properties = readProperties(reader);
    if (!reader.isBroken) sink.update(key, properties);
  } else if (kind === ATTACH) {
    const to = reader.key();
    const x = reader.float32();
    const y = reader.float32();
    const z = dimensions === 3 ? reader.float32() : undefined;
    if (!reader.isBroken) sink.attach(key, to, x, y, z);
  } else if (!reader.isBroken) {
    if (kind === TOUCH) sink.touch(key);
    else if (kind === REMOVE) sink.remove(key);
    else sink.detach(key);
  }
}

function readProperties(reader: MessageReader): Properties {
  const text = reader.text(PROPERTIES_BYTES_MAX);
  if (reader.isBroken) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // As below.
  }
  reader.breakOff('a JSON object of properties before this byte');
  return {};
}
