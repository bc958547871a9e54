/** What a run has learned about the service's pages; shared by all listings of the run. */
export class PageGrant {
  /** The most items a page that the service grants, as far as is known. */
  size: number;
  /** The service refused a size below the largest: pages are laid side by side instead of overlapping. */
  tilesOnly = false;
  /** Whether `total_items` counts the whole listing; undefined until it is known from an answer. */
  totalsAreGlobal: boolean | undefined;

  constructor(wantedSize: number) {
    this.size = wantedSize;
  }

  /** The next smaller size to ask for after a refusal, or undefined when there is none. */
  static smaller(size: number): number | undefined {
    return [100, 50, 20, 10, 1].find((candidate) => candidate < size);
  }
}
