/** Lets one at a time through, in the order of arrival. */
export class Mutex {
  #tail: Promise<unknown> = Promise.resolve();

  async run<T>(critical: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(critical, critical);
    // the next in line must not fail because we did
    this.#tail = turn.catch(() => undefined);
    return turn;
  }
}
