/**
 * The public names of `umwelt/detectors`, and nothing else: each detector that ships, as a factory to be handed to
 * `detector` and `setDetector`.
 *
 * For bundles, which hold those that are imported and no other; see docs/bundling.md. One that is imported can be named, too:
 * snapshots do. Each line is marked as pure, so that a bundler may drop it.
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

/** The default: everyone sorted by cell in flat columns, each pair near enough tested before and now. */
export const sweep: DetectorFactory = /* @__PURE__ */ loadDetector('sweep', sweepFactory);
/** 九宫格: cells made when first used; a mover is paired with the cells round it. */
export const nineGrid: DetectorFactory = /* @__PURE__ */ loadDetector('nine-grid', nineGridFactory);
/** 灯塔 with unequal views: each cell knows which cells hold someone who sees it. */
export const tower: DetectorFactory = /* @__PURE__ */ loadDetector('tower', towerFactory);
/** 十字链表: lists sorted along each axis, with index nodes. */
export const crossList: DetectorFactory = /* @__PURE__ */ loadDetector('cross-list', crossListFactory);
/** Pairs between reach and twice the reach wait; others are looked at when someone has moved far enough. */
export const hotPair: DetectorFactory = /* @__PURE__ */ loadDetector('hot-pair', hotPairFactory);
/** 四叉树: space halved where many stand; an octree in 3-D. */
export const quadtree: DetectorFactory = /* @__PURE__ */ loadDetector('quadtree', quadtreeFactory);
/** The definition: every pair, every tick. */
export const bruteForce: DetectorFactory = /* @__PURE__ */ loadDetector('brute-force', bruteForceFactory);
