/** Tags a test with the faults of `test/fault/README.md` that it holds. */

/** @returns the options of a test: `it('…', fault('F-23'), () => …)`; a tag that the list does not have fails the run */
export function fault(...faults: readonly `F-${number}`[]): { tags: string[] } {
  return { tags: [...faults] };
}
