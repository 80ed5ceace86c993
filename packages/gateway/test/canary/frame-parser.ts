/**
 * A reader of frames written from docs/frame-format.md alone, for two dimensions and fields that are all strings: what a client is
 * told by a frame, whatever it knew before. It shares no code with either end. Throws at anything the document does not allow.
 */

export interface ToldRecord {
  /** By number of the field. */
  readonly fields: ReadonlyMap<number, string>;
}

export interface ParsedFrame {
  readonly own: number | undefined;
  readonly left: readonly number[];
  readonly gone: readonly number[];
  readonly entered: readonly (ToldRecord & { readonly id: number; readonly senses: number })[];
  readonly updated: readonly (ToldRecord & { readonly slot: number })[];
  readonly sensed: readonly number[];
  readonly messages: readonly { readonly slot: number; readonly text: string }[];
  readonly placed: readonly string[];
  /** Who is attached to whom. */
  readonly attached: readonly { readonly slot: number; readonly parentSlot: number }[];
}

class Reader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new Error('the frame ends too early');
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.varint();
    const text = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length)).toString('latin1');
    if (text.length !== length) throw new Error('the frame ends within a text');
    this.#at += length;
    return text;
  }

  slots<T>(read: (slot: number) => T): T[] {
    const found: T[] = [];
    let slot = -1;
    for (let step = this.varint(); step !== 0; step = this.varint()) {
      slot += step;
      found.push(read(slot));
    }
    return found;
  }

  record(): ToldRecord {
    const mask = this.varint();
    if ((mask & 4) !== 0) this.varint();
    if ((mask & 3) === 3) throw new Error('a position both ways');
    if ((mask & 3) !== 0) {
      this.varint();
      this.varint();
    }
    const fields = new Map<number, string>();
    for (let field = 0; mask >> (field + 3) !== 0; field++) {
      if ((mask & (8 << field)) !== 0) fields.set(field, this.text());
    }
    return { fields };
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new Error('the frame has more bytes than it should');
  }
}

/** The whole message, its kind included. */
export function parseFrame(bytes: Uint8Array): ParsedFrame {
  const reader = new Reader(bytes, 1);
  const flags = reader.byte();
  for (let member = 0; member < 3; member++) reader.varint();
  const own = (flags & 2) !== 0 ? reader.varint() : undefined;
  const left = reader.slots((slot) => slot);
  const gone = (flags & 16) !== 0 ? reader.slots((slot) => slot) : [];
  if ((flags & 16) !== 0 && gone.length === 0) throw new Error('says that some are gone, and nobody is');
  const entered = reader.slots((slot) => {
    const id = slot * 1024 + reader.varint();
    const senses = reader.byte();
    return { id, senses, ...reader.record() };
  });
  const updated = reader.slots((slot) => ({ slot, ...reader.record() }));
  const sensed = reader.slots((slot) => {
    reader.byte();
    return slot;
  });
  const messages: { slot: number; text: string }[] = [];
  for (let next = reader.varint(); next !== 0; next = reader.varint()) {
    messages.push({ slot: next - 1, text: reader.text() });
  }
  const placed: string[] = [];
  for (let count = (flags & 4) !== 0 ? reader.varint() : 0; count > 0; count--) {
    reader.varint();
    reader.varint();
    placed.push(reader.text());
  }
  const attached = (flags & 8) !== 0 ? reader.slots((slot) => ({ slot, parentSlot: reader.varint() })) : [];
  reader.end();
  return { own, left, gone, entered, updated, sensed, messages, placed, attached };
}
