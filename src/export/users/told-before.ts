/** What runs knew of a user that could tell somebody: a run that died makes nothing known, so its retry tells what both have found. */
import type { Archive } from '../../archive/archive.js';
import type { UserEntry } from '../../archive/log/commit.js';
import type { ListingsOfUser } from '../../archive/log/newest-listings.js';
import { listingsOfRun } from '../../archive/reading/users/users-of-run.js';
import { runsThatTold, type RunStatus } from '../../archive/state/run-history.js';
import type { UserState } from '../../archive/state/user-state.js';
import type { RunId, UserId } from '../../model/ids.js';
import type { KnownBefore } from './known-gaps.js';

export class ToldBefore {
  readonly #archive: Archive;
  readonly #byHand: boolean;
  /** The newest first. */
  #runs: ReadonlyMap<RunId, RunStatus> = new Map();
  readonly #listed = new Map<RunId, Promise<ReadonlyMap<UserId, UserEntry>>>();

  /** @param options.byHand whether this run is not of everybody */
  constructor(archive: Archive, { byHand }: { readonly byHand: boolean }) {
    this.#archive = archive;
    this.#byHand = byHand;
  }

  /** Called before the first user: what this run finds is not told before. */
  prepare(): void {
    this.#runs = runsThatTold(this.#archive.index, { byHand: this.#byHand });
  }

  /** @throws {IntegrityError} a manifest is damaged */
  async of(state: UserState, listings: ListingsOfUser | undefined): Promise<KnownBefore['told']> {
    const { index, states } = this.#archive;
    const isTold = (number: number): boolean => {
      const run = index.commit(number)?.run;
      return run === undefined || this.#runs.has(run);
    };
    const changes = index
      .commitsTouching(state.user)
      .filter((number) => index.commit(number)?.kind === 'export');
    const newest = [listings?.last, listings?.lastOfAll].flatMap((listing) => listing ?? []);
    const seen = [...changes, ...newest.map(({ commit }) => commit)];
    const told = newest.filter(({ commit }) => isTold(commit)).map(({ entry }) => entry);
    let newestTold = Math.max(0, ...seen.filter(isTold));
    if (seen.every((number) => number <= newestTold)) return { state, listings: told };
    const before = listings && (await this.#listedBefore(state.user, listings.since, newestTold));
    if (before) {
      told.push(before.entry);
      newestTold = before.through;
    }
    return { state: await states.loadAsOf(state.user, newestTold), listings: told };
  }

  /** The listing of the newest run that told, where others have listed the user since. */
  async #listedBefore(
    user: UserId,
    since: number,
    after: number,
  ): Promise<{ readonly entry: UserEntry; readonly through: number } | undefined> {
    for (const [run, { commits }] of this.#runs) {
      const [, through] = commits;
      if (through <= after || through < since) continue;
      const entry = (await this.#listedBy(run)).get(user);
      if (entry) return { entry, through };
    }
    return undefined;
  }

  #listedBy(run: RunId): Promise<ReadonlyMap<UserId, UserEntry>> {
    const known = this.#listed.get(run);
    if (known) return known;
    const read = this.#readListings(run);
    this.#listed.set(run, read);
    return read;
  }

  async #readListings(run: RunId): Promise<ReadonlyMap<UserId, UserEntry>> {
    const entries = new Map<UserId, UserEntry>();
    for await (const entry of listingsOfRun(this.#archive, run)) entries.set(entry.user, entry);
    return entries;
  }
}
