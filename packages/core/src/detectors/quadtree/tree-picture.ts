/** A tree as text and as shapes, for people. */
import { rounded } from '../../errors.ts';
import type { StructureSketch } from '../structure-sketch.ts';
import type { Tree } from './tree.ts';
import { NONE, type TreeNodes, UNIVERSE } from './tree-nodes.ts';

const DESCRIBED_NODES = 32;

/** The upper part of a tree, at most some 40 lines. */
export function describeTree({ nodes, root }: Tree): string {
  if (root === NONE) return 'quadtree: empty';
  let leaves = 0;
  let deepest = 0;
  const shown: string[] = [];
  // Nodes to visit, level by level, with their depth.
  const queue: [node: number, depth: number][] = [[root, 0]];
  for (let i = 0; i < queue.length; i++) {
    const [node, depth] = queue[i];
    leaves += nodes.isLeaf[node];
    deepest = depth;
    if (shown.length < DESCRIBED_NODES) shown.push(describeNode(nodes, node, depth));
    for (const child of childrenOf(nodes, node)) queue.push([child, depth + 1]);
  }
  const more = queue.length > shown.length ? [`... and ${queue.length - shown.length} nodes below`] : [];
  const head = `quadtree: ${nodes.members[root]} members in ${leaves} leaves of ${queue.length} nodes, ${deepest} deep`;
  return [head, ...shown, ...more].join('\n');
}

/** The cells of the leaves in the sketch's window, with the number of members of each. */
export function sketchTree({ nodes, root }: Tree, sketch: StructureSketch): void {
  sketch.caption = 'Cells are leaves of the tree, with how many entities each holds.';
  const { minX, minY, maxX, maxY } = sketch.window;
  const stack = root === NONE ? [] : [root];
  for (let node = stack.pop(); node !== undefined && !sketch.isCutShort; node = stack.pop()) {
    const edge = 2 ** nodes.level[node];
    const x = nodes.cellX[node] * edge;
    const y = nodes.cellY[node] * edge;
    if (x > maxX || y > maxY || x + edge < minX || y + edge < minY) continue;
    if (nodes.isLeaf[node] === 1) sketch.cell(x, y, x + edge, y + edge, nodes.members[node]);
    stack.push(...childrenOf(nodes, node));
  }
}

function childrenOf(nodes: TreeNodes, node: number): number[] {
  const children = nodes.children.subarray(node * nodes.fan, (node + 1) * nodes.fan);
  return Array.from(children).filter((child) => child !== NONE);
}

function describeNode(nodes: TreeNodes, node: number, depth: number): string {
  const level = nodes.level[node];
  const cell = level === UNIVERSE ? 'everything' : `2^${level} at ${nodes.cellX[node]} ${nodes.cellY[node]}`;
  const [minX, minY, maxX, maxY] = [nodes.minX, nodes.minY, nodes.maxX, nodes.maxY].map((of) =>
    rounded(of[node], 7),
  );
  const box = `${minX} ${minY} to ${maxX} ${maxY}`;
  const kind = nodes.isLeaf[node] !== 0 ? 'leaf' : 'node';
  return `${'  '.repeat(Math.min(depth, 12))}${kind} ${node}, ${cell}: ${nodes.members[node]} in ${box}`;
}
