/**
 * How the selected entity stands to others beside what it perceives: from whom it hangs, who hangs from it, and whom it is for.
 *
 * JSON, as all text of the feed. The reader is total.
 */

/** Most children that are named; `childCount` says how many there are. */
export const CHILDREN_MAX = 16;
/** Most kinds of groups that a world has. */
const GROUPS_MAX = 8;
const GROUP_NAME_MAX = 80;

/** As of now. */
export interface StandingNews {
  type: 'standing';
  tick: number;
  id: number;
  /** From whom it hangs; 0: nobody. */
  parent: number;
  /** Who hangs from it, ascending, and how many there are. */
  children: number[];
  childCount: number;
  /** The only watcher that meets it; 0: any. */
  only: number;
  /** Groups that it is for, by kind; empty: for any watcher. */
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
