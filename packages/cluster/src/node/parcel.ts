/** The calls of one record, as they are taken from the outbox, and their bytes in each format. */
import type { EntityId } from 'umwelt';
import { ByteReader, ByteWriter } from 'umwelt/bytes';
import {
  ITEMS,
  type ItemOf,
  LIST_NAMES,
  type ListName,
  type Moves,
  writeMoves,
  writeSection,
} from '../records/calls.ts';
import { type MoveStep, STEPS_FORMAT, type Step, stepOf } from '../records/steps.ts';
import { idOf, WithdrawnShows } from './withdrawn-shows.ts';

/** Encoded calls. */
export type Lists = { [N in ListName]?: Uint8Array[] };

/** The contents of one record. */
export interface Parcel {
  readonly lists: Lists;
  readonly isEmpty: boolean;
  /** Watchers whose `show` was taken back since: it is no longer in the lists. */
  readonly withdrawn: EntityId[];
  /** Writes the number of sections, and the sections, in the format for which it was taken or in a later one. */
  write(writer: ByteWriter, format: number): void;
}

export interface TakenParcel extends Parcel {
  /** The `show` calls of the entity, which are left out from now on. */
  withdraw(id: EntityId): readonly Uint8Array[];
}

/** The calls of one list of a record. */
export function itemsOf<N extends ListName>({ lists }: Parcel, name: N): ItemOf<N>[] {
  const items: readonly Uint8Array[] = lists[name] ?? [];
  return items.map((bytes) => ITEMS[name].read(new ByteReader(bytes, 'BAD_RECORD')));
}

/** `isGone`: whether an entity is removed by this record, or is not there any more. */
export function parcelOf(
  lists: Lists,
  moves: Moves | undefined,
  dimensions: 2 | 3,
  isGone: (id: EntityId) => boolean,
): TakenParcel {
  const withdrawn = new WithdrawnShows();
  const left = (): Lists => {
    setShows(lists, withdrawn);
    return lists;
  };
  return {
    get lists() {
      return left();
    },
    withdrawn: [],
    isEmpty: moves === undefined && Object.keys(lists).length === 0,
    withdraw: (id) => withdrawn.withdraw(lists.shows ?? [], id),
    write: (writer, format) => {
      const shows = left().shows?.filter((item) => !isGone(idOf(item))) ?? [];
      const { shows: _all, ...others } = lists;
      const written: Lists = shows.length > 0 ? { ...others, shows } : others;
      if (format < STEPS_FORMAT) writeSections(writer, ...withoutSteps(written, moves, dimensions));
      else writeSections(writer, written, moves);
    },
  };
}

/** Leaves out the `show` calls that were withdrawn. */
export function setShows(lists: Lists, withdrawn: WithdrawnShows): void {
  const left = withdrawn.leftOf(lists.shows ?? []);
  if (left.length > 0) lists.shows = left;
  else delete lists.shows;
}

/** For the first format: each step where its section is. Their order is that of the sections, or they would not have been taken. */
function withoutSteps(
  lists: Lists,
  moves: Moves | undefined,
  dimensions: 2 | 3,
): [lists: Lists, moves: Moves | undefined] {
  const { steps = [], ...others } = lists;
  if (steps.length === 0) return [lists, moves];
  const read = steps.map(stepOf);
  // Each begins with its kind.
  const bytesOf = (kind: Step['step']) =>
    steps.filter((_, i) => read[i].step === kind).map((item) => item.subarray(1));
  const idsOf = (kind: Step['step']) => bytesOf(kind).map((item) => item.subarray(0, 4));
  const found: Lists = {
    ...others,
    teleports: [...(lists.teleports ?? []), ...idsOf('teleport')],
    removes: [...(lists.removes ?? []), ...idsOf('remove')],
    steps: bytesOf('attach'),
  };
  for (const name of LIST_NAMES) if (found[name]?.length === 0) delete found[name];
  const moved = read.filter((step): step is MoveStep => 'x' in step && step.step !== 'attach');
  return [found, withMoves(moves, moved, dimensions)];
}

function withMoves(
  moves: Moves | undefined,
  more: readonly MoveStep[],
  dimensions: 2 | 3,
): Moves | undefined {
  if (more.length === 0) return moves;
  const { ids = [], x = [], y = [], z = [] } = moves ?? {};
  return {
    ids: Uint32Array.from([...ids, ...more.map((step) => step.id)]),
    x: Float32Array.from([...x, ...more.map((step) => step.x)]),
    y: Float32Array.from([...y, ...more.map((step) => step.y)]),
    z: dimensions === 3 ? Float32Array.from([...z, ...more.map((step) => step.z)]) : undefined,
  };
}

function writeSections(writer: ByteWriter, lists: Lists, moves: Moves | undefined): void {
  writer.u32(Object.keys(lists).length + (moves === undefined ? 0 : 1));
  if (moves !== undefined) {
    const body = new ByteWriter(16 + 16 * moves.ids.length);
    writeMoves(body, moves);
    writeSection(writer, 'moves', body.bytes);
  }
  for (const name of LIST_NAMES) writeList(writer, name, lists[name]);
}

function writeList(writer: ByteWriter, name: ListName, items: readonly Uint8Array[] | undefined): void {
  if (items === undefined) return;
  const body = new ByteWriter(256);
  body.u32(items.length);
  for (const item of items) body.elements(item);
  writeSection(writer, name, body.bytes);
}
