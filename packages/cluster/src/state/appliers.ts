/**
 * What each call does to a replica: one function per section, in a table.
 *
 * A call counts if its caller owns the entity (R2). A call that the world refuses with an `UmweltError` is skipped, and the
 * rest of the record still counts (R3). Both are counted as refused. All replicas refuse the same calls.
 */
import { type EntityId, UmweltError, type UmweltErrorCode } from 'umwelt';
import type { Calls } from '../records/calls.ts';
import { type AddCall, type ItemOf, LIST_NAMES, type ListName, type Moves } from '../records/calls.ts';
import type { Step } from '../records/steps.ts';
import { columnsOf } from '../records/update-columns.ts';
import { codeOf, type Member } from './members.ts';
import { type ReplicaState, wholeInterest } from './replica-state.ts';

/** Makes one call; false if it is refused. */
type Applier<T> = (state: ReplicaState, caller: Member, item: T) => boolean;

const APPLIERS: { readonly [N in ListName]: Applier<ItemOf<N>> } = {
  interests: (state, _caller, call) => {
    const interest = wholeInterest(call, state.options.interests);
    // Mutual interests depend on other watchers' views, which a node has only if it computes all views.
    if (interest === undefined || (interest.mutual === true && state.views === 'own')) return false;
    state.world.setInterest(call.name, interest);
    state.interests.set(call.name, call);
    return true;
  },
  adds: applyAdd,
  updates: applyUpdate,
  touches: (state, caller, id) => {
    if (!isOwned(state, caller, id)) return false;
    state.world.touch(id);
    return true;
  },
  removes: applyRemove,
  ties: (state, caller, { tie, watcher, marker, reason, within, everyTicks }) => {
    if (!isOwned(state, caller, watcher)) return false;
    const { world } = state;
    if (tie === 'pin') world.pin(watcher, marker, reason, { within, ...(everyTicks > 0 && { everyTicks }) });
    else if (tie === 'unpin') world.unpin(watcher, marker, reason);
    else world[tie](watcher, marker);
    return true;
  },
  channels: (state, caller, { id, joins }) => {
    if (state.channels === undefined || !isOwned(state, caller, id)) return false;
    if (joins) state.channels.join(id);
    else state.channels.leave(id);
    return true;
  },
  steps: applyStep,
  fields: (state, caller, { id, fields }) => {
    if (!isOwned(state, caller, id) || !state.table.setFields(id, fields)) return false;
    // touch() reports the change to all watchers that perceive it, as a gateway on a world of its own does.
    state.world.touch(id);
    state.events.fields?.(id, fields);
    return true;
  },
  keeps: (state, caller, { id, bytes }) => {
    if (!isOwned(state, caller, id)) return false;
    state.table.keep(id, bytes);
    return true;
  },
  gives: (state, caller, { id, member, incarnation }) => {
    const receiver = state.members.byNumber(member);
    // R4.
    if (receiver === undefined || receiver.isGone || receiver.incarnation !== incarnation) return false;
    if (!isOwned(state, caller, id)) return false;
    state.giveTo(id, codeOf(receiver), 'given');
    return true;
  },
  sends: (state, caller, { id, bytes }) => {
    if (!state.table.has(id)) return false;
    state.events.message?.(id, state.table.ownerOf(id), bytes, caller);
    return true;
  },
  broadcasts: (state, caller, call) => {
    if (!state.table.has(call.marker)) return false;
    if (call.sense !== '' && !state.world.senseNames.includes(call.sense)) return false;
    state.events.broadcast?.(call, caller);
    return true;
  },
  shows: (state, caller, { id, isShown }) => {
    if (!state.table.has(id)) return false;
    const code = codeOf(caller);
    const shower = state.askedShowers.get(id) ?? state.table.showerOf(id);
    if ((shower === code) !== isShown) state.askedShowers.set(id, isShown ? code : 0);
    return isShown || shower === code;
  },
  teleports: (state, caller, id) => {
    if (!isOwned(state, caller, id)) return false;
    const [x, y, z] = state.world.position(id);
    state.world.move(id, x, y, z, { teleport: true });
    return true;
  },
};

/** Makes all calls of a record, in order. */
export function applyCalls(state: ReplicaState, caller: Member, calls: Calls): void {
  if (calls.moves !== undefined) applyMoves(state, caller, calls.moves);
  for (const name of LIST_NAMES) {
    const items = calls[name];
    if (items !== undefined) applyItems(state, caller, APPLIERS[name] as Applier<unknown>, items);
  }
}

function applyItems(
  state: ReplicaState,
  caller: Member,
  applier: Applier<unknown>,
  items: readonly unknown[],
): void {
  for (const item of items) {
    if (!isAccepted(() => applier(state, caller, item))) caller.refused++;
  }
}

/**
 * One `moveMany` if the caller owns all entities, and all can be moved: the usual case. Else one of those that are left, such as just
 * after a give. An error takes a thousand times as long as a move: none is made for each entity that its owner goes on moving
 * while it is attached.
 */
function applyMoves(state: ReplicaState, caller: Member, moves: Moves): void {
  const { world } = state;
  const { ids } = moves;
  if ((moves.z === undefined ? 2 : 3) !== world.dimensions) {
    caller.refused += ids.length;
    return;
  }
  if (areOwned(state, caller, ids) && isAccepted(() => moveAll(state, moves))) return;
  const { ids: movable, x, y, z } = movableOf(state, caller, moves);
  caller.refused += ids.length - movable.length;
  if (isAccepted(() => moveAll(state, { ids: movable, x, y, z }))) return;
  for (let i = 0; i < movable.length; i++) {
    const isMade = isAccepted(() => {
      world.move(movable[i], x[i], y[i], z?.[i]);
      return true;
    });
    if (!isMade) caller.refused++;
  }
}

/** Those of entities that the caller owns and that are not attached. */
function movableOf(state: ReplicaState, caller: Member, { ids, x, y, z }: Moves): Moves {
  const found = { ids: ids.slice(), x: x.slice(), y: y.slice(), z: z?.slice() };
  let count = 0;
  for (let i = 0; i < ids.length; i++) {
    if (!isOwned(state, caller, ids[i]) || state.world.parentOf(ids[i]) !== undefined) continue;
    found.ids[count] = ids[i];
    found.x[count] = x[i];
    found.y[count] = y[i];
    if (z !== undefined && found.z !== undefined) found.z[count] = z[i];
    count++;
  }
  return {
    ids: found.ids.subarray(0, count),
    x: found.x.subarray(0, count),
    y: found.y.subarray(0, count),
    z: found.z?.subarray(0, count),
  };
}

function moveAll({ world }: ReplicaState, { ids, x, y, z }: Moves): boolean {
  world.moveMany(ids, x, y, z);
  return true;
}

function areOwned({ table, rules }: ReplicaState, caller: Member, moved: Uint32Array): boolean {
  const { ids, owners } = table;
  const code = codeOf(caller);
  for (let i = 0; i < moved.length; i++) {
    const id = moved[i];
    const slot = id >>> 10;
    if (slot >= ids.length || ids[slot] !== id || !rules.mayChange(owners[slot], code)) return false;
  }
  return true;
}

function isOwned({ table, rules }: ReplicaState, caller: Member, id: EntityId): boolean {
  return table.has(id) && rules.mayChange(table.ownerOf(id), codeOf(caller));
}

function applyRemove(state: ReplicaState, caller: Member, id: EntityId): boolean {
  if (!isOwned(state, caller, id)) return false;
  const owner = state.table.ownerOf(id);
  state.world.remove(id);
  state.table.remove(id);
  state.askedShowers.delete(id);
  state.events.owner?.(id, owner, 0, 'removed');
  return true;
}

function applyStep(state: ReplicaState, caller: Member, call: Step): boolean {
  if (call.step === 'remove') return applyRemove(state, caller, call.id);
  const { id, x, y, z } = call;
  const { world } = state;
  if (!isOwned(state, caller, id)) return false;
  if (call.step === 'attach') {
    if (call.parent === 0) world.detach(id);
    else world.attach(id, call.parent, { x, y, z });
    return true;
  }
  // Without an error, see `applyMoves`.
  if (world.parentOf(id) !== undefined) return false;
  world.move(id, x, y, z, { teleport: call.step === 'teleport' });
  return true;
}

function applyUpdate(state: ReplicaState, caller: Member, item: ItemOf<'updates'>): boolean {
  const { world } = state;
  if ('patch' in item) {
    // Whether an entity watches is decided by show and hide.
    if (!isOwned(state, caller, item.id) || item.patch.watches !== undefined) return false;
    world.update(item.id, item.patch);
    return true;
  }
  const { ids, columns } = item;
  if (areOwned(state, caller, ids)) {
    world.updateMany(ids, columnsOf(columns));
    return true;
  }
  // As with moves: only those that the caller owns, one by one.
  for (let i = 0; i < ids.length; i++) {
    if (!isOwned(state, caller, ids[i])) continue;
    isAccepted(() => {
      world.updateMany(ids.subarray(i, i + 1), columnsOf(columns, i));
      return true;
    });
  }
  return false;
}

function applyAdd(state: ReplicaState, caller: Member, add: AddCall): boolean {
  const outcome = added(state, caller, add);
  const isMade = typeof outcome === 'number';
  state.events.added?.(caller, add.request, outcome);
  if (isMade) {
    state.events.owner?.(outcome, 0, codeOf(caller), 'added');
    if (Object.keys(add.fields).length > 0) state.events.fields?.(outcome, add.fields);
  }
  return isMade;
}

function added(state: ReplicaState, caller: Member, add: AddCall): EntityId | UmweltErrorCode {
  const { x, y, z, patch, key, keep } = add;
  if (patch.watches !== undefined) return 'BAD_OPTION';
  if (key !== '' && state.table.keys.has(key)) return 'KEY_TAKEN';
  try {
    const id = state.world.add({ ...patch, x, y, z, watches: false });
    state.table.add(id, codeOf(caller), key);
    if (keep.length > 0) state.table.keep(id, keep);
    if (Object.keys(add.fields).length > 0) state.table.setFields(id, add.fields);
    return id;
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
}

function isAccepted(make: () => boolean): boolean {
  try {
    return make();
  } catch (error) {
    if (error instanceof UmweltError) return false;
    throw error;
  }
}
