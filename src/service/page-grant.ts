/** The page size that the service grants; shared by all listings of a run. */
export class PageGrant {
  /** The largest page size that the service grants, as far as known. */
  size: number;
  /** The service refused a size below the largest, so pages cannot overlap. */
  alignedPagesOnly = false;
  /** Whether `total_items` counts the whole listing; undefined until an answer shows it. */
  totalsAreGlobal: boolean | undefined;

  constructor(wantedSize: number) {
    this.size = wantedSize;
  }

  /** The next smaller size after a refusal; undefined if there is none. */
  static smaller(size: number): number | undefined {
    return [100, 50, 20, 10, 1].find((candidate) => candidate < size);
  }
}
