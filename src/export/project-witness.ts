/** What a run knows of whether its API key sees what the archive holds: that of another project lists none of its sessions. */

/** A listing has none of the sessions that it should have, and nobody else's shows that the key is the right one. */
export class UnseenArchive extends Error {}

export class ProjectWitness {
  #hasSeen = false;
  /** Other users are asked once in a run. */
  #asked: Promise<boolean> | undefined;

  /** Whether the service has listed an archived session of anybody. */
  get hasSeen(): boolean {
    return this.#hasSeen;
  }

  seen(): void {
    this.#hasSeen = true;
  }

  /** @param askOthers whether other users list an archived session */
  async sees(askOthers: () => Promise<boolean>): Promise<boolean> {
    if (this.#hasSeen) return true;
    this.#asked ??= askOthers();
    return await this.#asked;
  }
}
