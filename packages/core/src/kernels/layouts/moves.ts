/**
 * Many moves at once. Ids and positions lie in the heap's staging columns, one element for each move; see
 * entities/move-columns.ts.
 *
 *   job   | ids | x y z | ids by slot | flags | slot count | now x y z | pending | -- | -- |
 *         | size of a part | dimensions | -- | found of part 0, 1, ... |
 *   found | ids ascend | slots that had nothing pending |
 *
 * Columns are byte offsets. Kernel: wasm/moves.ts. Cost: 2 ns a move to check, 2 to write.
 */

export const MOVE_JOB_WORDS = 16;
export const MOVE_FOUND_WORDS = 2;
