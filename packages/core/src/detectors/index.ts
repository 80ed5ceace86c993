/**
 * The public names of `umwelt/detectors`: each shipped detector, as a factory for `detector` and `setDetector`.
 *
 * For bundles: a bundle contains only the detectors that it imports; see docs/bundling.md. An imported detector can
 * also be used by name, as snapshots do. Each line is marked as pure, so that a bundler may drop it.
 */
import { bruteForce as bruteForceFactory } from './brute-force.ts';
import { crossList as crossListFactory } from './cross-list.ts';
import type { DetectorFactory } from './detector.ts';
import { hotPair as hotPairFactory } from './hot-pair.ts';
import { nineGrid as nineGridFactory } from './nine-grid.ts';
import { quadtree as quadtreeFactory } from './quadtree.ts';
import { loadDetector } from './registry.ts';
import { sweep as sweepFactory } from './sweep.ts';
import { tower as towerFactory } from './tower.ts';

/**
 * The default: all entities sorted by cell in flat columns; each pair that is near enough is tested before and now.
 */
export const sweep: DetectorFactory = /* @__PURE__ */ loadDetector('sweep', sweepFactory);
/** 九宫格: cells created on first use; a moved entity is paired with the cells around it. */
export const nineGrid: DetectorFactory = /* @__PURE__ */ loadDetector('nine-grid', nineGridFactory);
/** 灯塔 with unequal views: each cell knows which cells hold watchers that see it. */
export const tower: DetectorFactory = /* @__PURE__ */ loadDetector('tower', towerFactory);
/** 十字链表: lists sorted along each axis, with index nodes. */
export const crossList: DetectorFactory = /* @__PURE__ */ loadDetector('cross-list', crossListFactory);
/**
 * Pairs nearer than twice the reach are kept and tested; others are compared only when an entity has moved far
 * enough.
 */
export const hotPair: DetectorFactory = /* @__PURE__ */ loadDetector('hot-pair', hotPairFactory);
/** 四叉树: space is halved where many entities are; an octree in 3-D. */
export const quadtree: DetectorFactory = /* @__PURE__ */ loadDetector('quadtree', quadtreeFactory);
/** The definition: every pair, every tick. */
export const bruteForce: DetectorFactory = /* @__PURE__ */ loadDetector('brute-force', bruteForceFactory);
