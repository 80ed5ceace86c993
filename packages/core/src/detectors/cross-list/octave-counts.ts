/**
 * Counts a population by how far its members reach, in powers of two: the basis for choosing "far-reaching".
 *
 * Octave 0 is for a reach of 0; octave k holds reaches up to 2^(k - 21), so that octave 1 begins below the least
 * possible range and the last one ends at the longest range times the greatest gain. Cost: a logarithm a member.
 */

const OCTAVES = 82;

export class OctaveCounts {
  #total = 0;
  readonly #counts = new Float64Array(OCTAVES);
  readonly #ranges = new Float64Array(OCTAVES);
  readonly #gains = new Float64Array(OCTAVES);
  readonly #minReaches = new Float64Array(OCTAVES);

  clear(): void {
    this.#total = 0;
    for (const column of [this.#counts, this.#ranges, this.#gains, this.#minReaches]) column.fill(0);
  }

  note(reach: number, range: number, gain: number, minReach: number): void {
    const octave = octaveOf(reach);
    this.#total++;
    this.#counts[octave]++;
    this.#ranges[octave] = Math.max(this.#ranges[octave], range);
    this.#gains[octave] = Math.max(this.#gains[octave], gain);
    this.#minReaches[octave] = Math.max(this.#minReaches[octave], minReach);
  }

  /** The median reach among those above 0; 0 if there is none. */
  median(): number {
    const left = this.#total - this.#counts[0];
    let passed = 0;
    for (let octave = 1; octave < OCTAVES; octave++) {
      passed += this.#counts[octave];
      if (passed * 2 >= left && passed > 0) return topOf(octave);
    }
    return 0;
  }

  /**
   * The bound on reach at which the strip of a moved entity plus its tests of all entities beyond costs least.
   * `shareWithin` returns the share of the population in the strip of a reach; a test costs as much as `linksATest`
   * links in a strip.
   */
  cheapestThreshold(shareWithin: (reach: number) => number, linksATest: number): number {
    let [range, gain, minReach, far] = [0, 1, 0, this.#total];
    let cheapest = Number.POSITIVE_INFINITY;
    let threshold = Number.POSITIVE_INFINITY;
    for (let octave = 0; octave < OCTAVES && far > 0; octave++) {
      if (this.#counts[octave] === 0) continue;
      far -= this.#counts[octave];
      range = Math.max(range, this.#ranges[octave]);
      gain = Math.max(gain, this.#gains[octave]);
      minReach = Math.max(minReach, this.#minReaches[octave]);
      const reach = range > 0 ? Math.max(range * gain, minReach) : 0;
      const cost = this.#total * shareWithin(reach) + linksATest * far;
      if (cost < cheapest) {
        cheapest = cost;
        threshold = topOf(octave);
      }
    }
    return threshold;
  }
}

function octaveOf(reach: number): number {
  return reach > 0 ? Math.max(1, Math.min(OCTAVES - 1, Math.ceil(Math.log2(reach)) + 21)) : 0;
}

/** The longest reach in an octave, world units. */
function topOf(octave: number): number {
  return octave === 0 ? 0 : 2 ** (octave - 21);
}
