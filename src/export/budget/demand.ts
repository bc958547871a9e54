/** How many sessions stand above any priority: of so many that a number each is all there is room for. */

/** So finely priorities are told apart: in so many steps of about as many sessions each. */
const STEPS = 4096;

export interface Share {
  /** From this priority on there are enough. */
  readonly surely: number;
  /** From this one on for some: for the first of them that come. */
  readonly perhaps: number;
  readonly room: number;
}

export class Demand {
  /** The lowest priority of each step, the highest step first. */
  readonly #floors: Float64Array;
  readonly #counts: Uint32Array;

  constructor(priorities: Float64Array) {
    const sorted = priorities.toSorted();
    const floors: number[] = [];
    for (let step = 1; step <= STEPS; step++) {
      const at = sorted.length - Math.ceil((step * sorted.length) / STEPS);
      const floor = sorted[at];
      if (floor !== undefined && floor !== floors.at(-1)) floors.push(floor);
    }
    this.#floors = Float64Array.from(floors);
    this.#counts = new Uint32Array(floors.length);
    for (const priority of priorities) this.#add(priority, 1);
  }

  remove(priority: number): void {
    this.#add(priority, -1);
  }

  /** Which priorities there are looks enough for. */
  share(looks: number): Share {
    let left = looks;
    let surely = Infinity;
    for (let step = 0; step < this.#counts.length; step++) {
      const count = this.#counts[step] ?? 0;
      const floor = this.#floors[step] ?? -Infinity;
      if (left < count) return { surely, perhaps: floor, room: Math.max(0, Math.ceil(left)) };
      left -= count;
      surely = floor;
    }
    return { surely: -Infinity, perhaps: -Infinity, room: 0 };
  }

  #add(priority: number, change: 1 | -1): void {
    let low = 0;
    let high = this.#floors.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#floors[middle] ?? 0) <= priority) high = middle;
      else low = middle + 1;
    }
    const count = this.#counts[low];
    if (count !== undefined) this.#counts[low] = Math.max(0, count + change);
  }
}
