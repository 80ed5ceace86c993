/**
 * Lists and their index as lines, for people: the index nodes on each axis and, if the view is near enough, the list
 * of x from link to link. If there are too many to distinguish, they are thinned out evenly, and the caption says so.
 */
import type { StructureSketch } from '../structure-sketch.ts';
import type { AxisList } from './axis-list.ts';
import { END } from './index-nodes.ts';

/** Numbers of nodes an axis, and of links, that can be distinguished. */
const NODES_DRAWN = 300;
const LINKS_DRAWN = 400;
/** Number of links that are scanned for those in sight. */
const LINKS_WALKED = 50_000;

/** Adds the part of the lists of x and y, sorted by these coordinates, that lies in the sketch's window. */
export function sketchLists(
  [listX, listY]: readonly AxisList[],
  x: Float32Array,
  y: Float32Array,
  sketch: StructureSketch,
): void {
  const { minX, minY, maxX, maxY } = sketch.window;
  const stride = Math.max(nodeStride(listX, minX, maxX), nodeStride(listY, minY, maxY));
  eachNodeOf(listX, minX, maxX, stride, (place) => sketch.line(place, minY, place, maxY));
  eachNodeOf(listY, minY, maxY, stride, (place) => sketch.line(minX, place, maxX, place));
  const links = linksInSight(listX, x, y, sketch);
  for (const slot of links ?? []) {
    const next = listX.next[slot];
    sketch.line(x[slot], y[slot], x[next], y[next]);
  }
  sketch.isCutShort ||= stride > 1;
  const share = stride === 1 ? '' : `, one in ${stride} of them`;
  const linked =
    links === undefined ? ' Nearer, links too.' : ' Others are links between neighbours in the list of x.';
  sketch.caption = `Upright lines are index nodes of the list of x, level ones of that of y${share}.${linked}`;
}

/** A power of two, so that it rarely changes while nodes come and go. */
function nodeStride(list: AxisList, min: number, max: number): number {
  let count = 0;
  list.eachNode(min, max, () => count++);
  return 2 ** Math.max(0, Math.ceil(Math.log2(count / NODES_DRAWN)));
}

function eachNodeOf(
  list: AxisList,
  min: number,
  max: number,
  stride: number,
  visit: (place: number) => void,
): void {
  let rank = 0;
  list.eachNode(min, max, (place) => {
    if (rank++ % stride === 0) visit(place);
  });
}

/** Links with one end in the window; `undefined` if there are too many to distinguish. */
function linksInSight(
  list: AxisList,
  x: Float32Array,
  y: Float32Array,
  { window: { minX, minY, maxX, maxY } }: StructureSketch,
): number[] | undefined {
  const isInSight = (slot: number) =>
    x[slot] >= minX && x[slot] <= maxX && y[slot] >= minY && y[slot] <= maxY;
  const links: number[] = [];
  const first = list.firstFrom(minX, x);
  let slot = first === END ? list.tail : list.previous[first];
  if (slot === END) slot = list.head;
  for (let walked = 0; slot !== END && list.next[slot] !== END && x[slot] <= maxX; walked++) {
    if (walked > LINKS_WALKED || links.length > LINKS_DRAWN) return undefined;
    if (isInSight(slot) || isInSight(list.next[slot])) links.push(slot);
    slot = list.next[slot];
  }
  return links;
}
