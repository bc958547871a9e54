/** Keeps a writer failed after its first failure: its buffered rows are lost, and a file without them must not look complete. */
export class FailFast {
  #failure: { readonly error: unknown } | undefined;

  /** @throws the error of the first failed run, without running the work again */
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
