/**
 * Data of a recording besides its calls: the world's title, the kinds of its entities, the length of a tick. `umwelt record`
 * writes it as notes, `umwelt replay` reads it; writer and reader side by side.
 *
 *   note 'scene'   JSON: title, kinds, tickSeconds, bounds
 *   note 'kinds'   count u32 | ids u32 each | kinds u8 each, little-endian; several notes, each with the entities new since the last
 *
 * A recording of another program may have none of it, or other notes under these names: an invalid note counts as absent, and
 * the scene is then derived from the world.
 */
import type { RecordedWorld, Replay } from 'umwelt';

/** World units. */
export interface SceneBounds {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
  minZ?: number;
  maxZ?: number;
}

export interface Scene {
  readonly title: string;
  /** Names of the kinds of entities. */
  readonly kinds: readonly string[];
  readonly tickSeconds: number;
  readonly bounds: SceneBounds;
}

const SCENE = 'scene';
const KINDS = 'kinds';
const KINDS_MAX = 256;
const TITLE_MAX = 200;
/** Maximum entities per note, far below a note's limit. */
const IDS_A_NOTE = 1 << 20;
/** Margin around a crowd whose world has no bounds, as a fraction of its extent. */
const ROOM = 0.08;

/** Notes the scene of a world that is being recorded. */
export class SceneWriter {
  readonly #world: RecordedWorld;
  readonly #noted = new Set<number>();

  constructor(world: RecordedWorld, { title, kinds, tickSeconds, bounds }: Scene) {
    this.#world = world;
    const scene: Scene = { title, kinds, tickSeconds, bounds };
    world.note(SCENE, new TextEncoder().encode(JSON.stringify(scene)));
  }

  /** Notes the kinds of new entities. `kindOf` is called once for each. */
  noteKinds(kindOf: (id: number) => number): void {
    const fresh = this.#world.ids().filter((id) => !this.#noted.has(id));
    for (let at = 0; at < fresh.length; at += IDS_A_NOTE) {
      const ids = fresh.subarray(at, at + IDS_A_NOTE);
      const bytes = new DataView(new ArrayBuffer(4 + 5 * ids.length));
      bytes.setUint32(0, ids.length, true);
      ids.forEach((id, i) => {
        this.#noted.add(id);
        bytes.setUint32(4 + 4 * i, id, true);
        bytes.setUint8(4 + 4 * ids.length + i, kindOf(id));
      });
      this.#world.note(KINDS, new Uint8Array(bytes.buffer));
    }
  }
}

/** The noted scene; `undefined` if there is none. */
export function readScene(replay: Replay): Scene | undefined {
  const note = replay.notes(SCENE)[0];
  if (note === undefined) return undefined;
  try {
    return checkedScene(JSON.parse(new TextDecoder().decode(note)));
  } catch {
    return undefined;
  }
}

/** The noted kinds, by id. */
export function readKinds(replay: Replay): ReadonlyMap<number, number> {
  const kinds = new Map<number, number>();
  for (const note of replay.notes(KINDS)) {
    const view = new DataView(note.buffer, note.byteOffset, note.byteLength);
    const count = view.byteLength < 4 ? -1 : view.getUint32(0, true);
    if (view.byteLength !== 4 + 5 * count) continue;
    for (let i = 0; i < count; i++) {
      kinds.set(view.getUint32(4 + 4 * i, true), view.getUint8(4 + 4 * count + i));
    }
  }
  return kinds;
}

/** Bounds of the entities in the replay's world now, with a margin. */
export function boundsNow({ world, worldOptions }: Replay): SceneBounds {
  const axes = worldOptions.dimensions === 3 ? 3 : 2;
  const min = [0, 0, 0].fill(Number.POSITIVE_INFINITY);
  const max = [0, 0, 0].fill(Number.NEGATIVE_INFINITY);
  const position = new Float32Array(axes);
  for (const id of world.ids()) {
    world.position(id, position);
    position.forEach((value, axis) => {
      min[axis] = Math.min(min[axis] as number, value);
      max[axis] = Math.max(max[axis] as number, value);
    });
  }
  if (world.size === 0) [min, max].forEach((edges, i) => void edges.fill(i === 0 ? -50 : 50));
  const extent = Math.max(
    (max[0] as number) - (min[0] as number),
    (max[1] as number) - (min[1] as number),
    1,
  );
  const [minX, minY, minZ] = min.map((edge) => edge - extent * ROOM) as [number, number, number];
  const [maxX, maxY, maxZ] = max.map((edge) => edge + extent * ROOM) as [number, number, number];
  return { minX, minY, maxX, maxY, ...(axes === 3 ? { minZ, maxZ } : {}) };
}

function checkedScene(value: unknown): Scene | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { title, kinds, tickSeconds, bounds } = value as Record<string, unknown>;
  if (typeof title !== 'string' || title.length > TITLE_MAX || !Array.isArray(kinds)) return undefined;
  if (kinds.length > KINDS_MAX || !kinds.every((kind) => typeof kind === 'string')) return undefined;
  if (!isNumber(tickSeconds) || tickSeconds < 1e-6 || tickSeconds > 1e6) return undefined;
  const checked = checkedBounds(bounds);
  return checked === undefined ? undefined : { title, kinds, tickSeconds, bounds: checked };
}

function checkedBounds(value: unknown): SceneBounds | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { minX, minY, maxX, maxY, minZ, maxZ } = value as Record<string, unknown>;
  if (!isNumber(minX) || !isNumber(minY) || !isNumber(maxX) || !isNumber(maxY)) return undefined;
  if (minX > maxX || minY > maxY) return undefined;
  const flat: SceneBounds = { minX, minY, maxX, maxY };
  if (minZ === undefined && maxZ === undefined) return flat;
  return isNumber(minZ) && isNumber(maxZ) && minZ <= maxZ ? { ...flat, minZ, maxZ } : undefined;
}

/** Within the world's own limits, so that no sum of them overflows. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 1e12;
}
