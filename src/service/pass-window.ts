/** Decides whether what the passes over a listing saw proves that nothing is missing. */
import type { PlacedPage } from './page-reader.js';

export class PassWindow {
  // this pass
  #pages = 0;
  #positions: string[] = [];
  #lastPositions: readonly string[] = [];
  /** A pass that stopped early says nothing of what stands behind its end. */
  #lastIsWhole = false;
  #seams: 'joined' | 'open' | 'torn' = 'joined';
  #totals = new Set<number | null>();
  #lastPage: 'full' | 'short' | 'empty' = 'full';

  // looks since the total last changed, for listings that are in another order with every request
  #windowTotal: number | null = null;
  #window = new Set<string>();
  #completeWindow: ReadonlySet<string> | undefined;
  #windowGrew = false;

  beginPass(): void {
    this.#pages = 0;
    this.#lastPositions = this.#positions;
    this.#positions = [];
    this.#seams = 'joined';
    this.#totals = new Set();
    this.#lastPage = 'full';
  }

  /** @param total the page's `total_items`, null where it cannot be believed */
  add({ start, ids, size }: PlacedPage<unknown>, total: number | null): void {
    this.#totals.add(total);
    const before = this.#lastPage;
    this.#lastPage = ids.length === 0 ? 'empty' : ids.length < size ? 'short' : 'full';
    // behind all that is announced, or behind a short page, nothing came: that moves no seam
    const { length } = this.#positions;
    const isEnd = total === null ? before === 'short' && start >= length : start === length;
    if (ids.length === 0 && isEnd) return;
    this.#pages++;
    if (this.#pages > 1) this.#judgeSeam(start, ids);
    ids.forEach((id, index) => (this.#positions[start + index] = id));
  }

  /**
   * Whether this pass, alone or with those before it, proves the listing whole; if not, whether it
   * came nearer to a proof.
   */
  endPass(): { readonly isProven: boolean; readonly cameNearer: boolean } {
    // without the holes between pages, which a set of the array would count as one more id
    const ids = new Set(Object.values(this.#positions));
    const [total = null] = this.#totals;
    const stoodStill = this.#totals.size === 1;
    // where none is announced, only an empty page ends a listing
    const isEnded = total !== null || this.#lastPage === 'empty';
    const isWhole = stoodStill && isEnded && ids.size === (total ?? this.#positions.length);
    const isSeamless = this.#pages === 1 || (this.#seams === 'joined' && total !== null);
    const isRepeat = isWhole && this.#lastIsWhole && this.#repeatsLastPass();
    this.#lastIsWhole = isWhole;
    const sawTheSameTwice = this.#sawTheSameTwice(ids, stoodStill, total);
    const isProven = (isWhole && (isSeamless || isRepeat)) || sawTheSameTwice;
    return { isProven, cameNearer: this.#windowGrew };
  }

  /** The same ids in the same order as in the pass before: nothing moved between the two. */
  #repeatsLastPass(): boolean {
    const before = this.#lastPositions;
    return (
      before.length === this.#positions.length &&
      this.#positions.every((id, index) => before[index] === id)
    );
  }

  /** The overlap must show the very ids that stood there before. */
  #judgeSeam(start: number, ids: readonly string[]): void {
    const overlap = this.#positions.length - start;
    const moved = ids
      .slice(0, Math.max(0, overlap))
      .some((id, index) => this.#positions[start + index] !== id);
    if (moved || overlap < 0 || ids.length < overlap) this.#seams = 'torn';
    else if (overlap === 0 && this.#seams === 'joined') this.#seams = 'open';
  }

  /**
   * Two looks in a row that each saw `total_items` ids, and the same ones, miss none: had one been
   * missed, a deleted one stood in its place in the first look, which the second could not have seen.
   */
  #sawTheSameTwice(ids: ReadonlySet<string>, stoodStill: boolean, total: number | null): boolean {
    if (!stoodStill || total === null || total !== this.#windowTotal) {
      this.#windowTotal = stoodStill ? total : null;
      this.#window = new Set();
      this.#completeWindow = undefined;
    }
    this.#windowGrew = false;
    if (this.#windowTotal === null) return false;
    const sizeBefore = this.#window.size;
    ids.forEach((id) => this.#window.add(id));
    this.#windowGrew = this.#window.size > sizeBefore && this.#window.size <= this.#windowTotal;
    if (this.#window.size < this.#windowTotal) return false;
    const window = this.#window;
    const before = this.#completeWindow;
    this.#window = new Set();
    this.#completeWindow = window.size === this.#windowTotal ? window : undefined;
    return (
      before !== undefined &&
      before.size === window.size &&
      [...window].every((id) => before.has(id))
    );
  }
}
