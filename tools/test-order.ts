/**
 * The order in which test files run: the longest first, so that no worker is left alone with a long file at the end; and
 * files that compute alternate with files that wait, so that the cores are neither idle nor crowded. Of the others, tidy ones
 * are last: a process that they share ends as soon as the next file in line is not for it.
 *
 * A fresh clone has no times of earlier runs, so the long files are listed here, by their times on a busy machine of two cores:
 * what only computes by its processor time, because other programs hardly change that. Only the order counts. The others follow
 * in vitest's own order. The files at the end then take a few seconds each, so at most that much time is idle.
 */
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './run-command.ts';

// Both relative to the repository, longest first; from .cache/test-results.json, which a run with CI=true writes, and, for what
// .ci/run starts by itself, .cache/test-shared-results.json.

/** Files that compute. */
const computing: readonly string[] = [
  'packages/core/test/conformance/interest-scripts.test.ts',
  'packages/core/test/interest/drawn-seats.test.ts',
  'packages/core/test/conformance/detectors.test.ts',
  'packages/core/test/conformance/random-scripts.test.ts',
  'tools/test/reference-examples.test.ts',
  'packages/core/test/recording/snapshot.test.ts',
  'packages/core/test/conformance/canaries.test.ts',
  'packages/core/test/conformance/classic-scripts.test.ts',
  'examples/own-detector/hexagon-grid.test.ts',
  'packages/core/test/interest/searched-walks.test.ts',
  'packages/core/test/interest/searched.test.ts',
  'packages/core/test/interest/calm-watchers.test.ts',
  'packages/core/test/interest/roomy-rows.test.ts',
  'packages/core/test/interest/searched-strolls.test.ts',
  'packages/core/test/threads/conformance.test.ts',
  'packages/core/test/detectors/cross-list.test.ts',
  'packages/core/test/conformance/interest-canaries.test.ts',
  'packages/gateway/test/frame-pair.test.ts',
  'packages/gateway/test/hostile-frames.test.ts',
  'packages/core/test/detectors/sweep.test.ts',
  'packages/core/test/interest/margin-holds.test.ts',
  'packages/core/test/detectors/hot-pair.test.ts',
  'packages/core/test/conformance/fuzz.test.ts',
  'packages/scenarios/test/generators.test.ts',
  'packages/core/test/conformance/leaping-scripts.test.ts',
  'packages/core/test/detectors/sweep-classes.test.ts',
  'packages/core/test/detectors/crossings.test.ts',
  'packages/cluster/test/simulation/lost-ends.test.ts',
  'packages/core/test/conformance/movement.test.ts',
  'packages/core/test/recording/replay.test.ts',
  'packages/cluster/test/simulation/simulation.test.ts',
  'packages/core/test/conformance/model.test.ts',
  'packages/core/test/interest/relation-rows.test.ts',
  'packages/core/test/world/debug.test.ts',
  'packages/cluster/test/simulation/many-gives.test.ts',
  'packages/cluster/test/simulation/planted.test.ts',
  'bench/test/engines.test.ts',
  'packages/core/test/detectors/tower.test.ts',
  'packages/scenarios/test/mmo.test.ts',
  'packages/core/test/detectors/quadtree.test.ts',
  'packages/core/test/interest/row-column.test.ts',
  'packages/cluster/test/simulation/upgrades.test.ts',
  'packages/core/test/world/errors.test.ts',
  'packages/core/test/kernels/plain-kernels.test.ts',
  'packages/core/test/queries/watchers-at.test.ts',
];

/** Files that wait: for a browser, a broker, a socket, another process or a registry. */
const waiting: readonly string[] = [
  'tools/test/packed.test.ts',
  'tools/test/create.test.ts',
  'tools/test/site-pages.test.ts',
  'tools/test/tutorial.test.ts',
  'packages/inspector/test/browser/getting-about.test.ts',
  'packages/inspector/test/browser/events.test.ts',
  'packages/inspector/test/browser/structure.test.ts',
  'packages/inspector/test/browser/page.test.ts',
  'packages/inspector/test/browser/first-screen.test.ts',
  'packages/cli/test/serve.test.ts',
  'packages/inspector/test/browser/explanation.test.ts',
  'packages/cli/test/record-replay.test.ts',
  'packages/cluster/test/processes/real-processes.test.ts',
  'packages/inspector/test/browser/picture.test.ts',
  'packages/inspector/test/browser/time-line.test.ts',
  'examples/06-cluster/cluster.test.ts',
  'packages/cli/test/play.test.ts',
  'packages/gateway/test/endurance/endurance.test.ts',
  'examples/02-ws-game/ws-game.test.ts',
  'packages/cli/test/mistakes.test.ts',
  'packages/gateway/test/attacks.test.ts',
  'packages/cli/test/compare.test.ts',
  'packages/gateway/test/web-socket.test.ts',
  'packages/cluster/test/log/nats-three.test.ts',
  'examples/05-restart/restart.test.ts',
  'packages/colyseus/test/returning-players.test.ts',
  'packages/cluster/test/gateway/attach.test.ts',
  'packages/cluster/test/log/nats-failures.test.ts',
  'packages/cluster/test/log/nats-log.test.ts',
  'examples/03-colyseus-room/colyseus-room.test.ts',
  'packages/cluster/test/checkpoints/restart.test.ts',
];

/** Alternates both lists, so that at any time some files wait while others compute. */
export const longest: readonly string[] = Array.from(
  { length: Math.max(computing.length, waiting.length) },
  (_, i) => [waiting[i], computing[i]],
)
  .flat()
  .filter((file) => file !== undefined);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isTidy = ({ project }: TestSpecification) => Number(project.name === 'tidy');
    const tidyLast = (await super.sort(files)).toSorted((one, other) => isTidy(one) - isTidy(other));
    return longestFirst(tidyLast, ({ moduleId }) => path.relative(root, moduleId));
  }
}

/** The listed files in the order of the list, then all others as given. */
export function longestFirst<T>(given: readonly T[], fileOf: (item: T) => string): T[] {
  const rankOf = (item: T): number => {
    const rank = longest.indexOf(fileOf(item).replaceAll('\\', '/'));
    return rank < 0 ? longest.length : rank;
  };
  return given.toSorted((first, second) => rankOf(first) - rankOf(second));
}
