/** An invariant does not hold. */
export class Violation extends Error {
  override readonly name = 'Violation';

  /** @param invariant its short name, as the README lists them */
  constructor(
    readonly invariant: string,
    detail: string,
  ) {
    super(`${invariant}: ${detail}`);
  }
}
