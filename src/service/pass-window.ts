/** Decides whether the passes over a listing prove that nothing is missing. */
import type { PlacedPage } from './page-reader.js';

export class PassWindow {
  // this pass
  #pages = 0;
  #positions: string[] = [];
  #lastPositions: readonly string[] = [];
  /** In the order in which they came first. */
  #sent = new Set<string>();
  #lastSent: ReadonlySet<string> = new Set();
  /** Whether the pass reached the end of the listing; otherwise it proves nothing about the rest. */
  #lastIsWhole = false;
  #seams: 'verified' | 'none' | 'mismatch' = 'verified';
  #totals = new Set<number | null>();
  #isLastPageEmpty = false;

  // passes since the total last changed, for listings whose order changes with every request
  #windowTotal: number | null = null;
  #window = new Set<string>();
  #completeWindow: ReadonlySet<string> | undefined;
  #windowGrew = false;

  beginPass(): void {
    this.#pages = 0;
    this.#lastPositions = this.#positions;
    this.#positions = [];
    this.#lastSent = this.#sent;
    this.#sent = new Set();
    this.#seams = 'verified';
    this.#totals = new Set();
    this.#isLastPageEmpty = false;
  }

  /** @param total the page's `total_items`, null if it cannot be trusted */
  add({ start, ids }: PlacedPage<unknown>, total: number | null): void {
    this.#totals.add(total);
    this.#isLastPageEmpty = ids.length === 0;
    // An empty page after the announced total is no seam. Without a total it is one: the service may have cut the
    // page before, and what it left out may have moved there since.
    if (ids.length === 0 && total !== null && start === this.#positions.length) return;
    this.#pages++;
    if (this.#pages > 1) this.#compareSeam(start, ids);
    ids.forEach((id, index) => {
      this.#positions[start + index] = id;
      this.#sent.add(id);
    });
  }

  /**
   * What the listing has, if this pass, alone or with earlier ones, proves that; if not, whether it came closer to a
   * proof.
   */
  endPass(): { readonly proven: ReadonlySet<string> | undefined; readonly cameNearer: boolean } {
    // without the holes between pages, which a set would count as one more id
    const ids = new Set(Object.values(this.#positions));
    const [total = null] = this.#totals;
    const stoodStill = this.#totals.size === 1;
    // without a total, only an empty page ends a listing
    const isEnded = total !== null || this.#isLastPageEmpty;
    const isWhole = stoodStill && isEnded && ids.size === (total ?? this.#positions.length);
    const isSeamless =
      this.#pages === 1 ||
      (this.#seams === 'verified' && total !== null && this.#keepsOrderOfLastPass());
    const isRepeat = isWhole && this.#lastIsWhole && this.#repeatsLastPass();
    this.#lastIsWhole = isWhole;
    const seenTwice = this.#seenTwice(ids, stoodStill, total);
    const proven = isWhole && (isSeamless || isRepeat) ? ids : seenTwice;
    return { proven, cameNearer: this.#windowGrew };
  }

  /** Whether the ids and their order equal those of the previous pass: nothing moved between the two. */
  #repeatsLastPass(): boolean {
    const before = this.#lastPositions;
    return (
      before.length === this.#positions.length &&
      this.#positions.every((id, index) => before[index] === id)
    );
  }

  /** Whether the ids of both passes came in the same order. Where it changes, an overlap matches by chance. */
  #keepsOrderOfLastPass(): boolean {
    const known = [...this.#sent].filter((id) => this.#lastSent.has(id));
    const before = [...this.#lastSent].filter((id) => this.#sent.has(id));
    return known.every((id, index) => before[index] === id);
  }

  /** The overlap must have the same ids at the same positions as the previous page. */
  #compareSeam(start: number, ids: readonly string[]): void {
    const overlap = this.#positions.length - start;
    const moved = ids
      .slice(0, Math.max(0, overlap))
      .some((id, index) => this.#positions[start + index] !== id);
    if (moved || overlap < 0 || ids.length < overlap) this.#seams = 'mismatch';
    else if (overlap === 0 && this.#seams === 'verified') this.#seams = 'none';
  }

  /**
   * Two consecutive passes that saw the same `total_items` ids miss none: if one had been missed, the first pass
   * must have seen a deleted one in its place, which the second could not have seen.
   */
  #seenTwice(
    ids: ReadonlySet<string>,
    stoodStill: boolean,
    total: number | null,
  ): ReadonlySet<string> | undefined {
    if (!stoodStill || total === null || total !== this.#windowTotal) {
      this.#windowTotal = stoodStill ? total : null;
      this.#window = new Set();
      this.#completeWindow = undefined;
    }
    this.#windowGrew = false;
    if (this.#windowTotal === null) return undefined;
    const sizeBefore = this.#window.size;
    ids.forEach((id) => this.#window.add(id));
    this.#windowGrew = this.#window.size > sizeBefore && this.#window.size <= this.#windowTotal;
    if (this.#window.size < this.#windowTotal) return undefined;
    const window = this.#window;
    const before = this.#completeWindow;
    this.#window = new Set();
    this.#completeWindow = window.size === this.#windowTotal ? window : undefined;
    const isSame = before?.size === window.size && [...window].every((id) => before.has(id));
    return isSame ? window : undefined;
  }
}
