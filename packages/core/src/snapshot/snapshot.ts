/**
 * A world as bytes: its state at the last tick and all pending changes, so that a restored world continues exactly as
 * the original would have. The format is described in docs/recording.md.
 *
 *   | 'umws' | version u16 | 0 u16 | body bytes u32 | 0 u32 | checksum of body u64 | body, padded to 4 bytes |
 *   body: the sections SETT, INTR, WRLD, ENTS, TIES, SEAT, RELS; without the last two if all entities are at rest
 *
 * Each part of the state writes and reads itself, in its own file; this file defines the order. Bytes that are cut
 * short, altered or no snapshot are `BAD_SNAPSHOT`, detected before anything is built. The checksum detects
 * accidents, not forgery: each part checks again what it reads, so the worst that forged bytes can do is describe a
 * strange world.
 *
 * Cost: a copy of the columns and rows, and a look at each when reading.
 */
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter, tagOf } from '../bytes/byte-writer.ts';
import { checksumOf } from '../bytes/checksum.ts';
import type { DetectorName } from '../detectors/detector.ts';
import { detectorFactory, isDetectorName } from '../detectors/registry.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { isEveryoneAtRest, loadEntities, saveEntities } from '../entities/stored-entities.ts';
import { shown, UmweltError } from '../errors.ts';
import type { InterestBook, InterestsByName } from '../interest/rules/interest-book.ts';
import type { Ties } from '../interest/rules/ties.ts';
import type { Seating } from '../interest/seating.ts';
import type { RelationRows } from '../interest/table/relation-rows.ts';
import { resolveOptions, type WorldOptions } from '../options.ts';
import type { WorldSettings } from '../settings.ts';

const MAGIC = 'umws';
const VERSION = 8;
const HEADER_BYTES = 24;
const RANGE_SHAPES = ['circle', 'box', 'cylinder'] as const;
/** By number: granularity, and rounding of reaches to cells. */
const GRANULARITIES = [
  { granularity: 'exact', cellRounding: 'up' },
  { granularity: 'cell', cellRounding: 'up' },
  { granularity: 'cell', cellRounding: 'down' },
] as const;
const MAX_NAMES = 8;
const MAX_TICK = 0xffff_ffff;

/** The parts of a world that store themselves. */
export interface StoredParts {
  readonly store: EntityStore;
  readonly interests: InterestBook;
  readonly ties: Ties;
  readonly seating: Seating;
  readonly relations: RelationRows;
  /**
   * Markers that a slot related to at the last tick, including removed ones, whether a row is kept or not: ascending
   * ids.
   */
  relatedTo(slot: number): Uint32Array;
}

/** State of a world outside its parts. */
export interface StoredCounts {
  readonly tickCount: number;
  readonly relationCount: number;
  /** Ids removed since the last tick. */
  readonly removed: Uint32Array;
  /** Slots teleported since. */
  readonly teleported: Uint32Array;
  /** Whether the relations of each marker are counted. The counts themselves follow from the relations. */
  readonly isWatchedCounted: boolean;
}

/**
 * `detector`: its name, '' for a user's own. `isAtRest`: as if all entities had been at rest (`watches: false`) for
 * long.
 */
export function writeSnapshot(
  parts: StoredParts,
  counts: StoredCounts,
  detector: string,
  isAtRest: boolean,
): Uint8Array {
  const { store, interests, ties, seating, relations } = parts;
  // Most of it is columns and rows: room for both at once saves copies while it grows.
  const ofRelations = isAtRest ? 0 : 5 * relations.count + seating.savedBytes;
  const writer = new ByteWriter(4096 + 40 * store.slotCount + ofRelations);
  writer.u32(tagOf(MAGIC));
  writer.u16(VERSION);
  writer.u16(0);
  for (let i = 0; i < 4; i++) writer.u32(0);
  writer.section('SETT', () => saveSettings(writer, store.settings, detector));
  writer.section('INTR', () => interests.save(writer));
  writer.section('WRLD', () => {
    writer.f64(counts.tickCount);
    writer.f64(isAtRest ? 0 : counts.relationCount);
    writer.flag(isAtRest);
    writer.column(counts.removed);
    writer.column(isAtRest ? new Uint32Array(0) : counts.teleported);
    writer.flag(counts.isWatchedCounted);
  });
  writer.section('ENTS', () => saveEntities(store, writer, isAtRest));
  writer.section('TIES', () => ties.save(writer));
  if (!isAtRest) {
    writer.section('SEAT', () => seating.save(writer, counts.tickCount));
    writer.section('RELS', () => {
      relations.save(writer, store, (slot) => parts.relatedTo(slot), seating.rated, counts.tickCount);
    });
  }
  const bodyBytes = writer.length - HEADER_BYTES;
  while (writer.length % 4 !== 0) writer.u8(0);
  const bytes = writer.bytes.slice();
  const header = new DataView(bytes.buffer);
  const [low, high] = checksumOf(bytes.subarray(HEADER_BYTES));
  header.setUint32(8, bodyBytes, true);
  header.setUint32(16, low, true);
  header.setUint32(20, high, true);
  return bytes;
}

/**
 * Heap bytes for each byte of a snapshot: the state exists twice, margin-held pairs need scratch; rows have room to
 * grow.
 */
const HEAP_BYTES = 3;
const HEAP_BYTES_OF_RELATIONS = 1.5;

/** A snapshot whose bytes are checked, read as far as its settings. */
export class Snapshot {
  /** Options of a world that it can be loaded into, without the detector. */
  readonly options: WorldOptions;
  /** The name of its detector; '' for a user's own. */
  readonly detector: string;
  readonly #reader: ByteReader;
  #isAtRest = false;
  #tickCount = 0;

  /** Throws `BAD_SNAPSHOT`. */
  constructor(bytes: Uint8Array) {
    const reader: ByteReader = new ByteReader(checkedBody(bytes), 'BAD_SNAPSHOT');
    const { options, detector } = reader.section('SETT', () => loadSettings(reader));
    this.options = options;
    this.detector = detector;
    this.#reader = reader;
  }

  /** Throws `UNKNOWN_DETECTOR` if the detector was a user's own. */
  shippedDetector(): DetectorName {
    if (this.detector !== '') return this.detector as DetectorName;
    throw new UmweltError(
      'UNKNOWN_DETECTOR',
      "the snapshot's world had a detector of its own, which is not stored; expected it as detector",
      { field: 'detector' },
    );
  }

  /**
   * Loads the parts of a world created with `options`, except its relations. `takesInterests`: use supplied interests
   * completely, not only their functions. Throws `BAD_SNAPSHOT`, `UNKNOWN_INTEREST`. Call it only once.
   */
  load(parts: StoredParts, supplied: InterestsByName, takesInterests: boolean): StoredCounts {
    const reader: ByteReader = this.#reader;
    const { store, interests, ties, seating } = parts;
    const relationBytes = reader.bytesOfSection('RELS');
    store.heap.makeRoom((reader.left - relationBytes) * HEAP_BYTES + relationBytes * HEAP_BYTES_OF_RELATIONS);
    reader.section('INTR', () => interests.load(reader, supplied, takesInterests));
    const { counts, isAtRest } = reader.section('WRLD', () => loadCounts(reader));
    this.#isAtRest = isAtRest;
    this.#tickCount = counts.tickCount;
    reader.section('ENTS', () => loadEntities(store, reader, interests.current.length));
    for (const id of counts.removed) {
      reader.check(id >>> 10 < store.slotCount && !store.has(id), 'ids of removed entities');
    }
    for (const slot of counts.teleported)
      reader.check(slot < store.slotCount, 'slots of teleported entities');
    reader.section('TIES', () => ties.load(reader, store));
    if (isAtRest) {
      reader.check(isEveryoneAtRest(store) && counts.relationCount === 0, 'that all are at rest');
      seating.loadNone();
    } else reader.section('SEAT', () => seating.load(reader, counts.tickCount));
    return counts;
  }

  /** Loads the relations. Last, because rows are most of the bytes, and anything that grows afterwards moves them. */
  loadRelations({ store, relations }: StoredParts): void {
    const reader: ByteReader = this.#reader;
    if (!this.#isAtRest) reader.section('RELS', () => relations.load(reader, store, this.#tickCount));
    reader.finish();
  }
}

/** The body of a snapshot whose header and checksum are correct. */
function checkedBody(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array))
    throw notOurs(`${shown(bytes)} was given, expected a Uint8Array with the bytes of a snapshot`);
  const header: ByteReader = new ByteReader(bytes, 'BAD_SNAPSHOT');
  header.expect(HEADER_BYTES);
  if (header.u32() !== tagOf(MAGIC)) throw notOurs('the bytes are no snapshot of a world');
  const version = header.u16();
  if (version !== VERSION) {
    throw notOurs(`the snapshot has version ${version}, expected ${VERSION}`);
  }
  header.check(header.u16() === 0, '0');
  const bodyBytes = header.u32();
  header.check(header.u32() === 0, '0');
  const [low, high] = [header.u32(), header.u32()];
  const paddedBytes = Math.ceil(bodyBytes / 4) * 4;
  if (header.left !== paddedBytes) {
    throw notOurs(
      `the snapshot has ${bytes.length} bytes, expected ${HEADER_BYTES + paddedBytes}, as its header says`,
    );
  }
  const body = header.window(paddedBytes);
  const [lowFound, highFound] = checksumOf(body);
  if (low !== lowFound || high !== highFound) {
    throw notOurs('the snapshot was altered: its checksum is not that of its bytes');
  }
  return body.subarray(0, bodyBytes);
}

function notOurs(message: string): UmweltError {
  return new UmweltError('BAD_SNAPSHOT', message);
}

function saveSettings(writer: ByteWriter, settings: WorldSettings, detector: string): void {
  writer.u8(settings.dimensions);
  writer.u8(RANGE_SHAPES.indexOf(settings.rangeShape));
  writer.f32(settings.ratioX);
  writer.f32(settings.ratioY);
  writer.f32(settings.ratioZ);
  const isSame = (each: (typeof GRANULARITIES)[number]) =>
    each.granularity === settings.granularity && each.cellRounding === settings.cellRounding;
  writer.u8(GRANULARITIES.findIndex(isSame));
  writer.flag(settings.cellSize !== undefined);
  for (const size of settings.cellSize ?? []) writer.f32(size);
  writer.texts(settings.senses);
  writer.texts(settings.groups);
  writer.text(detector);
}

function loadSettings(reader: ByteReader): { options: WorldOptions; detector: string } {
  const dimensions = reader.u8() as 2 | 3;
  const rangeShape = RANGE_SHAPES[reader.u8()];
  const rangeRatio = [reader.f32(), reader.f32(), reader.f32()] as const;
  const cells = GRANULARITIES[reader.u8()];
  reader.check(rangeShape !== undefined && cells !== undefined, 'a shape and a granularity');
  const cellSize = reader.flag() ? ([reader.f32(), reader.f32(), reader.f32()] as const) : undefined;
  const senses = reader.texts(MAX_NAMES);
  const groups = reader.texts(MAX_NAMES);
  const detector = reader.text();
  reader.check(detector === '' || isDetectorName(detector), 'a detector of ours');
  // A detector that is not in this bundle is no fault of the bytes.
  if (cells.granularity === 'cell' && isDetectorName(detector)) detectorFactory(detector);
  const options: WorldOptions = {
    dimensions,
    rangeShape,
    rangeRatio,
    ...cells,
    senses,
    groups,
    ...(cellSize === undefined ? {} : { cellSize }),
    // With cells, the detector decides perception; else any detector will do until the requested one replaces it.
    detector: (cells.granularity === 'cell' ? detector : 'brute-force') as NonNullable<
      WorldOptions['detector']
    >,
  };
  reader.accepted('settings of a world', () => resolveOptions(options));
  return { options, detector };
}

function loadCounts(reader: ByteReader): { counts: StoredCounts; isAtRest: boolean } {
  const [tickCount, relationCount] = [reader.f64(), reader.f64()];
  // Ages of seats are ticks of 32 bits: at 60 ticks a second this lasts for two years.
  const areCounts =
    Number.isInteger(tickCount) &&
    tickCount >= 0 &&
    tickCount <= MAX_TICK &&
    Number.isSafeInteger(relationCount) &&
    relationCount >= 0;
  reader.check(areCounts, 'counts');
  const isAtRest = reader.flag();
  const counts = {
    tickCount,
    relationCount,
    removed: reader.column('u32'),
    teleported: reader.column('u32'),
    isWatchedCounted: reader.flag(),
  };
  return { counts, isAtRest };
}
