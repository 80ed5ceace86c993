/** Checks the invariants of a tree between ticks: for tests, O(n). */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { assert, broken } from '../../errors.ts';
import { LEAF_CAPACITY, MERGED, RESTS, type Tree } from './tree.ts';
import { NONE, OTHERS, type TreeNodes, WATCHERS } from './tree-nodes.ts';

/** Throws at the first broken invariant. */
export function checkTree(tree: Tree, { last, slotCount }: EntityStore): void {
  const { nodes } = tree;
  let linked = 0;
  for (let slot = 0; slot < slotCount; slot++) {
    if (tree.roles[slot] !== RESTS) broken(`slot ${slot} has no role between ticks`);
    if ((tree.leafOf[slot] !== NONE) !== last.isPresent(slot))
      broken(`slot ${slot} has a leaf while present`);
    if (tree.leafOf[slot] !== NONE) linked++;
  }
  const seen = tree.root === NONE ? { nodes: 0, members: 0 } : checkBelow(tree, tree.root, NONE, last);
  assert(seen.members === linked, 'leaves hold all present slots');
  assert(seen.nodes === nodes.count, 'every node in use is in the tree');
}

/** Checks the nodes from one down; returns the numbers of nodes and members. */
function checkBelow(
  tree: Tree,
  node: number,
  parent: number,
  last: EntityState,
): { nodes: number; members: number } {
  const { nodes } = tree;
  if (!nodes.isInUse(node) || nodes.parent[node] !== parent) broken(`node ${node} hangs under its parent`);
  const seen = { nodes: 1, members: 0 };
  if (nodes.isLeaf[node] !== 0) {
    seen.members = checkLeaf(tree, node, last);
  } else {
    let childCount = 0;
    for (let quadrant = 0; quadrant < nodes.fan; quadrant++) {
      const child = nodes.children[node * nodes.fan + quadrant];
      if (child === NONE) continue;
      childCount++;
      if (nodes.quadrantOfCell(node, child) !== quadrant) broken(`node ${child} is in its quadrant`);
      const isQuadrant = nodes.level[child] === nodes.level[node] - 1;
      if (!isQuadrant && nodes.isLeaf[child] !== 0) broken(`leaf ${child} is a whole quadrant`);
      if (!(nodes.dirty[child] <= nodes.dirty[node])) broken(`node ${node} is dirty when one below is`);
      if (!isWithin(nodes, child, node)) broken(`box and reach of node ${node} hold those of ${child}`);
      const below = checkBelow(tree, child, node, last);
      seen.nodes += below.nodes;
      seen.members += below.members;
    }
    if (childCount <= 1 || seen.members <= MERGED) broken(`inner node ${node} is needed`);
  }
  if (seen.members !== nodes.members[node]) broken(`node ${node} counts its members`);
  return seen;
}

function checkLeaf(tree: Tree, leaf: number, last: EntityState): number {
  const { nodes } = tree;
  let count = 0;
  for (let list = WATCHERS; list <= OTHERS; list++) {
    let before = NONE;
    for (let slot = nodes.heads[2 * leaf + list]; slot !== NONE; slot = tree.next[slot]) {
      const isLinked = tree.leafOf[slot] === leaf && tree.previous[slot] === before;
      if (!isLinked) broken(`slot ${slot} is linked in its leaf`);
      if (last.isWatcher(slot) !== (list === WATCHERS)) broken(`slot ${slot} is on the list of its kind`);
      if (!isInLeaf(tree, slot, last)) broken(`slot ${slot} lies in the cell of its leaf`);
      checkWithin(tree, slot, leaf, last);
      before = slot;
      count++;
    }
  }
  if (count === 0) broken(`leaf ${leaf} has members`);
  if (count > LEAF_CAPACITY && nodes.isPoint[leaf] === 0) broken(`leaf ${leaf} is not too full`);
  return count;
}

function checkWithin(tree: Tree, slot: number, leaf: number, last: EntityState): void {
  const { nodes, traits } = tree;
  const z = tree.nodes.fan === 8 ? last.z[slot] : last.y[slot];
  if (
    !(
      last.x[slot] >= nodes.minX[leaf] &&
      last.x[slot] <= nodes.maxX[leaf] &&
      last.y[slot] >= nodes.minY[leaf] &&
      last.y[slot] <= nodes.maxY[leaf] &&
      z >= nodes.minZ[leaf] &&
      z <= nodes.maxZ[leaf]
    )
  )
    broken(`slot ${slot} lies in the box of its leaf`);
  if (
    !(
      traits.widest[slot] === last.maxRangeOf(slot) &&
      traits.widest[slot] <= nodes.widest[leaf] &&
      traits.narrowest[slot] >= nodes.narrowest[leaf] &&
      traits.loudest[slot] <= nodes.loudest[leaf] &&
      traits.quietest[slot] >= nodes.quietest[leaf] &&
      traits.minReach[slot] <= nodes.minReach[leaf]
    )
  )
    broken(`slot ${slot} reaches no farther than its leaf says`);
}

function isInLeaf(tree: Tree, slot: number, state: EntityState): boolean {
  const z = tree.nodes.fan === 8 ? state.z[slot] : 0;
  return tree.nodes.contains(tree.leafOf[slot], state.x[slot], state.y[slot], z);
}

/** Whether box and reach of a node are no larger than another's. */
function isWithin(nodes: TreeNodes, inner: number, outer: number): boolean {
  return (
    nodes.minX[inner] >= nodes.minX[outer] &&
    nodes.minY[inner] >= nodes.minY[outer] &&
    nodes.minZ[inner] >= nodes.minZ[outer] &&
    nodes.maxX[inner] <= nodes.maxX[outer] &&
    nodes.maxY[inner] <= nodes.maxY[outer] &&
    nodes.maxZ[inner] <= nodes.maxZ[outer] &&
    nodes.widest[inner] <= nodes.widest[outer] &&
    nodes.narrowest[inner] >= nodes.narrowest[outer] &&
    nodes.loudest[inner] <= nodes.loudest[outer] &&
    nodes.quietest[inner] >= nodes.quietest[outer] &&
    nodes.minReach[inner] <= nodes.minReach[outer]
  );
}
