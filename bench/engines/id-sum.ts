/**
 * Reads the ids of a list: one loop for every engine, so that none gains by how its loop is written.
 *
 * A list of thirty ids is read in two dozen nanoseconds, and a mispredicted loop exit costs as much again. So ids are
 * read in eights. The remainder is read first, one, two and four at a time; each of these is counted or not by a bit of
 * the length, which needs no branch. Every id is read, and counted once.
 */

/**
 * The sum of `ids[begin .. end)`, modulo 2^32, as a signed number: unsigned sums exceed V8's small integers and take
 * twice as long.
 */
export function sumOfIds(ids: Uint32Array, begin: number, end: number): number {
  const count = (end - begin) | 0;
  let i = begin | 0;
  let sum = 0;
  if (count < 4) {
    for (; i < end; i++) sum = (sum + (ids[i]! | 0)) | 0;
    return sum;
  }
  sum = ids[i]! & -(count & 1);
  i = (i + (count & 1)) | 0;
  sum = (sum + (twoFrom(ids, i) & -((count >> 1) & 1))) | 0;
  i = (i + (count & 2)) | 0;
  sum = (sum + (fourFrom(ids, i) & -((count >> 2) & 1))) | 0;
  for (i = (i + (count & 4)) | 0; i < end; i = (i + 8) | 0) {
    sum = (sum + fourFrom(ids, i)) | 0;
    sum = (sum + fourFrom(ids, (i + 4) | 0)) | 0;
  }
  return sum;
}

function fourFrom(ids: Uint32Array, i: number): number {
  return (twoFrom(ids, i) + twoFrom(ids, (i + 2) | 0)) | 0;
}

function twoFrom(ids: Uint32Array, i: number): number {
  return ((ids[i]! | 0) + (ids[(i + 1) | 0]! | 0)) | 0;
}
