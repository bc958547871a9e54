/** A writer that failed once stays failed: what it held is lost, and a file without it must never look whole. */
export class FailFast {
  #failure: { readonly error: unknown } | undefined;

  /** @throws what the first failed run threw, again, before anything is done */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure.error;
    try {
      return await work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}
