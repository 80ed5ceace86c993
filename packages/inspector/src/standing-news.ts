/**
 * The selected entity's attachments and conditions: its parent, its children, and the watchers that may meet it.
 *
 * JSON, as all text of the feed. The reader never throws.
 */

/** Maximum children that are listed; `childCount` says how many there are. */
export const CHILDREN_MAX = 16;
/** Maximum kinds of groups in a world. */
const GROUPS_MAX = 8;
const GROUP_NAME_MAX = 80;

/** As of now. */
export interface StandingNews {
  type: 'standing';
  tick: number;
  id: number;
  /** Its parent; 0: none. */
  parent: number;
  /** Its children, ascending, and how many there are. */
  children: number[];
  childCount: number;
  /** The only watcher that meets it; 0: any. */
  only: number;
  /** Groups whose watchers meet it, by kind; empty: any watcher. */
  groups: [kind: string, group: number][];
}

export function readStanding(message: Record<string, unknown>): StandingNews | undefined {
  const { tick, id, parent, children, childCount, only, groups } = message;
  if (!isWhole(tick) || !isWhole(id) || !isWhole(parent) || !isWhole(childCount) || !isWhole(only))
    return undefined;
  if (!Array.isArray(children) || children.length > CHILDREN_MAX || !children.every(isWhole))
    return undefined;
  if (children.length > childCount || !Array.isArray(groups) || groups.length > GROUPS_MAX) return undefined;
  const areGroups = groups.every((group) => {
    const [kind, number] = Array.isArray(group) ? (group as unknown[]) : [];
    return typeof kind === 'string' && kind.length <= GROUP_NAME_MAX && isWhole(number);
  });
  return areGroups ? { type: 'standing', tick, id, parent, children, childCount, only, groups } : undefined;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0xffffffff;
}
