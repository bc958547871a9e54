/** The log of commits: the only arbiter of what is in the archive (I-9 to I-18 in FORMAT.md). */
import type { RunId } from '../../model/ids.js';
import { ObjectNotFoundError, StorageError } from '../../storage/storage-errors.js';
import { sealCommit, type SealedCommit } from './commit-reader.js';
import { assertFollows, CommitReader, newestCommitNumber } from './commit-chain.js';
import { PreparedRedactions } from './prepared-redactions.js';
import {
  checkedJobs,
  ConflictSearch,
  unsealedOf,
  wholeDraft,
  type CommitDraft,
  type CommitLogOptions,
  type WholeDraft,
} from './commit-draft.js';
import type { Commit, Unsealed } from './commit.js';
import { commitIdentityOf } from '../identity.js';
import { IntegrityError, LogCrowdedError, RunAbandonedError } from '../archive-errors.js';
import { StagedManifest } from './manifest.js';
import {
  commitNumberOf,
  commitPath,
  COMMITS_PREFIX,
  IDENTITY_PATH,
  type ManifestName,
} from '../paths.js';
import { numbers, readAhead } from '../../base/concurrently.js';
import { SigningRule } from './signing-rule.js';

export interface CommitRef {
  readonly number: number;
  readonly digest: string;
}

/** Commits read at a time. */
const READ_AHEAD = 8;
/**
 * Entries of commits kept in memory, some 300 bytes each: every append reads the newest ones again, and an erasure reads the
 * whole log several times. Of nights that list users and find little new, so many are a thousand commits.
 */
const KEPT_ENTRIES = 20_000;
/** What a commit without entries weighs, in entries. */
const EMPTY_COMMIT = 10;
/** However many entries they have: another run may have put as many since. */
const KEPT_COMMITS = 2;
/** What is wrong with an object that has versions. */
export const HIDDEN = 'is hidden by a delete marker: its last version can be restored';
const REPLACED =
  'is not there any more as this run has read it: another state of the archive was put in its place, which may have other holds';
/** Numbers that other runs may take in a row before an append gives up. */
const MAX_TRIES = 100;

export class CommitLog {
  readonly #kept = new Map<number, Commit>();
  #keptEntries = 0;
  #newest: CommitRef | null = null;
  #hasListed = false;
  /** Whether no later commit was found to be hidden. */
  #isWhole = false;
  /** Number of the newest commit that is durable, as are all before it. */
  #durable = 0;
  /** Commits that this object has appended, and for which run. */
  readonly #own = new Map<number, RunId>();
  /** Runs abandoned by any commit read so far, with the number of that commit. */
  readonly #abandoned = new Map<RunId, number>();

  readonly #reader: CommitReader;
  readonly #prepared: PreparedRedactions;
  readonly #signing: SigningRule;
  #epoch = 0;
  readonly #options: CommitLogOptions;

  constructor(options: CommitLogOptions) {
    this.#options = options;
    const { storage, identity, signer } = options;
    this.#reader = new CommitReader(storage, identity);
    this.#prepared = new PreparedRedactions(storage);
    this.#signing = new SigningRule(signer, storage.location);
  }

  /** Changes when commits that were read before are outdated: an erasure redacts some. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The commits in memory as they are now, by number: whoever reads an erasure's receipt drops them. */
  get inMemory(): ReadonlyMap<number, Commit> {
    return new Map(this.#kept);
  }

  /** Drops all commits in memory, so that they are read again. */
  forget(): void {
    this.#kept.clear();
    this.#keptEntries = 0;
    this.#epoch++;
  }

  /** Reads commits as they are from now on, whatever these erasures have put aside to stand in their place. */
  disregardPrepared(ids: Iterable<RunId>): void {
    for (const id of ids) this.#prepared.disregard(id);
    this.forget();
  }

  /**
   * The newest commit, or null if the log is empty. It is durable, so that irreversible acts may rest on
   * it (I-15 in FORMAT.md). Lists the log once; later calls only check whether the next number is taken.
   *
   * @param known a commit that is thought to be there: only what comes after it is listed
   * @throws {IntegrityError} the newest commit is damaged
   */
  async head(known?: number): Promise<CommitRef | null> {
    if (!this.#hasListed) {
      const listed = await newestCommitNumber(this.#options.storage, known);
      if (listed > 0) this.#advanceTo(await this.read(listed));
      this.#hasListed = true;
    }
    for (;;) {
      const next = await this.#readIfThere((this.#newest?.number ?? 0) + 1);
      if (!next) break;
      this.#advanceTo(next);
    }
    await this.#makeDurable(this.#newest?.number ?? 0);
    return this.#newest;
  }

  /** @throws {IntegrityError} the commit is missing or damaged */
  async read(number: number): Promise<Commit> {
    const commit = await this.#readIfThere(number);
    if (commit) return commit;
    throw new IntegrityError(commitPath(number), 'missing', 'is missing from the log');
  }

  /** Reads the commit from the storage, even if it is in memory. @throws {IntegrityError} */
  async reread(number: number): Promise<Commit> {
    this.#drop(number);
    return this.read(number);
  }

  /** Where an erasure has put a manifest aside that its commit will name. */
  preparedManifest(name: ManifestName, number: number, sha256: string): string | undefined {
    return this.#prepared.manifestPath(name, number, sha256);
  }

  /**
   * Yields the commits from `from` to `to`, both included, in order; a few are read ahead.
   *
   * @throws {IntegrityError} one is missing, damaged, or does not follow the one before
   */
  async *commits(from: number, to: number): AsyncGenerator<Commit> {
    let before: Commit | undefined;
    for await (const commit of readAhead(numbers(from, to), READ_AHEAD, (n) => this.read(n))) {
      assertFollows(commit, before);
      yield commit;
      before = commit;
    }
  }

  /** Keeps a commit that the caller has just read from the storage and found sound: it need not be read again soon. */
  keep(commit: Commit): void {
    this.#signing.learn(commit);
    for (const run of commit.abandoned) this.#abandoned.set(run, commit.number);
    if (this.#prepared.learn(commit)) this.forget();
    if (this.#prepared.isOutdated(commit)) return;
    this.#drop(commit.number);
    this.#kept.set(commit.number, commit);
    this.#keptEntries += entriesOf(commit);
    for (const number of this.#kept.keys()) {
      if (this.#keptEntries <= KEPT_ENTRIES || this.#kept.size <= KEPT_COMMITS) break;
      this.#drop(number);
    }
  }

  #drop(number: number): void {
    const kept = this.#kept.get(number);
    if (kept && this.#kept.delete(number)) this.#keptEntries -= entriesOf(kept);
  }

  /**
   * Checks the signing key, and that nothing hides a commit, before a run begins: `append` would refuse it only at the end.
   *
   * @throws {IntegrityError} as `assertNotHidden`
   * @throws {SigningKeyError} the log is signed, and this run has no key or another one
   * @throws {SigningStartError} the log is not signed, and this run has a key that may not begin that
   */
  async assertMayAppend(): Promise<void> {
    await this.head();
    await this.assertNotHidden().catch((error: unknown) => {
      // without the permission it is not known; who deletes must know
      if (!(error instanceof StorageError && error.trouble === 'permission')) throw error;
    });
    await this.#signing.assertMayAppend();
  }

  /** Checks that the log, which is not there yet, may begin. @throws {SigningStartError} */
  async assertMayBegin(): Promise<void> {
    await this.#signing.assertMayBegin();
  }

  /**
   * Puts a commit under the next free number. Everything that it names must be published before.
   *
   * @throws {CommitConflictError} since `base`, another run has committed one of these sessions, or
   *   has removed one of the files that are to be removed
   * @throws {RunAbandonedError} another run has declared this one dead
   * @throws {LogCrowdedError} other runs have taken a hundred numbers in a row
   * @throws {IntegrityError} a commit since `base` is missing or damaged
   * @throws {SigningKeyError | SigningStartError} as `assertMayAppend`
   */
  async append(drafted: CommitDraft): Promise<Commit> {
    const draft = wholeDraft(drafted);
    const { storage, random } = this.#options;
    const nonce = draft.nonce ?? Buffer.from(random.bytes(16)).toString('hex');
    const jobs = await StagedManifest.stage(storage, 'jobs', checkedJobs(draft));
    let users: StagedManifest<'users'> | null = null;
    try {
      users = await StagedManifest.stage(storage, 'users', draft.users);
      let checked = draft.base;
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        await this.assertMayAppend();
        if (draft.removed.length > 0 || draft.erasure) await this.assertStands();
        const head = this.#newest;
        const made = await this.#checkAgainst(checked, head, draft, nonce);
        if (made) return made;
        checked = head?.number ?? 0;
        const number = checked + 1;
        for (const manifest of [jobs, users]) await manifest?.publishFor(number);
        const erasure = await draft.erasure?.(number);
        const sealed = this.#seal(draft, head, nonce, {
          jobs: jobs?.entryFor(number) ?? null,
          users: users?.entryFor(number) ?? null,
          ...(erasure && { erasure }),
        });
        draft.onPut?.();
        const winner = await this.#putOrRead(sealed);
        this.#advanceTo(winner);
        if (winner.nonce === nonce) {
          await this.#makeDurable(winner.number);
          return this.#remember(winner);
        }
        for (const manifest of [jobs, users]) await manifest?.withdrawFrom(winner);
      }
      throw new LogCrowdedError(checked + 1, MAX_TRIES);
    } finally {
      for (const manifest of [jobs, users]) await manifest?.discard();
    }
  }

  /**
   * Reads the newest commit again: while a run waits, for an answer or for a slow service, somebody may put a backup or
   * another copy of the archive in its place, with holds that this run has not seen.
   *
   * @throws {IntegrityError} it is missing, or another one
   */
  async assertStands(): Promise<void> {
    const head = await this.head();
    if (!head) return;
    const stands = await this.#readFromStorage(head.number).catch((error: unknown) => {
      if (error instanceof ObjectNotFoundError) return undefined;
      throw error;
    });
    if (stands?.digest === head.digest) return;
    const problem = stands ? 'chain' : 'missing';
    throw new IntegrityError(commitPath(head.number), problem, REPLACED);
  }

  /**
   * Asks once whether the newest commit is the newest: one that is hidden may hold what may not be deleted, and its number
   * must not be taken.
   *
   * @throws {IntegrityError} a delete marker hides a later one
   */
  async assertNotHidden(): Promise<void> {
    if (this.#isWhole) return;
    const { storage } = this.#options;
    const head = await this.head();
    const after = commitPath(head?.number ?? 0);
    for await (const { path, sinceMs } of storage.guards?.hidden(COMMITS_PREFIX, after) ?? []) {
      if (commitNumberOf(path) === undefined) continue;
      const identity = await storage.stat(IDENTITY_PATH);
      // It is a commit of an archive that was here before. Times are whole seconds: within one, it may be of this archive.
      if (identity && sinceMs < identity.modifiedAtMs) continue;
      throw new IntegrityError(path, 'hidden', HIDDEN);
    }
    this.#isWhole = true;
  }

  /** The draft's own commit, if an earlier attempt succeeded and its answer was lost. */
  async #checkAgainst(
    checked: number,
    head: CommitRef | null,
    draft: WholeDraft,
    nonce: string,
  ): Promise<Commit | undefined> {
    const newest = head?.number ?? 0;
    if (checked > newest) {
      throw new IntegrityError(
        commitPath(checked),
        'missing',
        'is missing from the log, where it was before',
      );
    }
    const conflicts = new ConflictSearch(draft);
    for await (const commit of this.commits(checked + 1, newest)) {
      if (commit.nonce === nonce) return this.#remember(commit);
      if (this.#own.get(commit.number) === draft.run) continue;
      conflicts.check(commit);
    }
    this.assertNotAbandoned(draft.run);
    conflicts.assertNone(newest);
    return undefined;
  }

  /** Looks only as far as the log was read. @throws {RunAbandonedError} another run has declared this one dead */
  assertNotAbandoned(run: RunId): void {
    const abandonedBy = this.#abandoned.get(run);
    if (abandonedBy !== undefined) throw new RunAbandonedError(run, abandonedBy);
  }

  #seal(
    draft: WholeDraft,
    head: CommitRef | null,
    nonce: string,
    entries: Pick<Unsealed, 'jobs' | 'users' | 'erasure'>,
  ): SealedCommit {
    const { identity, clock, signer } = this.#options;
    const unsealed = unsealedOf(draft, {
      archive: commitIdentityOf(identity),
      number: (head?.number ?? 0) + 1,
      nonce,
      previous: head?.digest ?? null,
      created_at: new Date(clock.now()).toISOString(),
      ...entries,
    });
    return sealCommit(unsealed, signer);
  }

  /** The commit at this number afterwards: the given one, or one of another run. */
  async #putOrRead({ commit, bytes }: SealedCommit): Promise<Commit> {
    const { number } = commit;
    try {
      if (await this.#options.storage.putIfAbsent(commitPath(number), bytes)) {
        this.#durable = number;
        return commit;
      }
    } catch (error) {
      // Perhaps only the answer was lost, or another run was first. If neither is sure, the manifests may be in use.
      const found = await this.#readIfThere(number).catch(() => undefined);
      if (found) return found;
      throw error;
    }
    return this.read(number);
  }

  /** Another run may have put the commit and died before it was durable. */
  async #makeDurable(number: number): Promise<void> {
    if (number <= this.#durable) return;
    await this.#options.storage.makeDurable?.(commitPath(number));
    this.#durable = number;
  }

  #remember(commit: Commit): Commit {
    this.#own.set(commit.number, commit.run);
    return commit;
  }

  #advanceTo({ number, digest }: Commit): void {
    if (number > (this.#newest?.number ?? 0)) this.#newest = { number, digest };
  }

  async #readIfThere(number: number): Promise<Commit | undefined> {
    const kept = this.#kept.get(number);
    if (kept) return kept;
    try {
      const commit = await this.#readFromStorage(number);
      this.keep(commit);
      return commit;
    } catch (error) {
      if (error instanceof ObjectNotFoundError) return undefined;
      throw error;
    }
  }

  async #readFromStorage(number: number): Promise<Commit> {
    const commit = await this.#reader.read(number);
    if (!this.#prepared.isOutdated(commit)) return commit;
    // where nothing lies in its place any more, it has been redacted meanwhile
    return (await this.#prepared.inPlaceOf(commit)) ?? this.#reader.read(number);
  }
}

function entriesOf({ sessions, deletions, files, removed, erasure }: Commit): number {
  const redacted = erasure?.stage === 'begun' ? erasure.commits.length : 0;
  const lists = sessions.length + deletions.length + files.length + removed.length;
  return EMPTY_COMMIT + lists + redacted;
}
