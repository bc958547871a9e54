/** What the commits up to one of them tell together: the projection of the log that everybody reads. */
import type { RunId, UserId } from '../../model/ids.js';
import type { CommitKind } from './commit-kind.js';
import type { Commit, ErasureEntry, UserEntry } from './commit.js';
import { HoldHistory } from './hold-history.js';
import { ContentsBuilder } from './contents.js';

/** A commit without its sessions, jobs and artifacts. */
export interface CommitFacts {
  readonly number: number;
  readonly digest: string;
  readonly kind: CommitKind;
  readonly run: RunId;
  /** Number of the first commit of the same run. */
  readonly runBegan: number;
  /** As the commit says, but never before an earlier commit: a clock that was set back makes nothing older. */
  readonly atMs: number;
  /** Paths of the files that it named, also of those that have left the archive since. */
  readonly files: readonly string[];
  /** The commit that vouches for what an erasure has left of this one; 0 where it is whole. */
  readonly redactedBy: number;
}

/** What a run's commit says of a user whom it asked about. */
export interface UserListing {
  readonly entry: UserEntry;
  /** Number of the commit that tells of it. */
  readonly commit: number;
  /** When that commit was made; ISO 8601. */
  readonly at: string;
}

export interface UserFacts {
  /** Numbers of the commits that change sessions of the user, in order. */
  readonly commits: readonly number[];
  /** How the newest run that asked about the user has fared; undefined where none came to the end. */
  readonly last: UserListing | undefined;
  /** Likewise of the newest run that was asked for all sessions. */
  readonly lastOfAll: UserListing | undefined;
}

/** An erasure that is begun and not finished. */
interface OpenErasure {
  /** Of the receipt. */
  readonly number: number;
  readonly commits: readonly number[];
}

interface GrowingUserFacts extends UserFacts {
  readonly commits: number[];
  last: UserListing | undefined;
  lastOfAll: UserListing | undefined;
}

/** Takes in commits from the first one on, in order. */
export class LogView {
  readonly contents = new ContentsBuilder();
  /** By number. */
  readonly commits = new Map<number, CommitFacts>();
  /** Everybody of whom the log tells, in the order in which they came into it. */
  readonly users = new Map<UserId, GrowingUserFacts>();
  /** Number of the first commit of each run, in the order of those. */
  readonly runs = new Map<RunId, number>();
  readonly abandonedRuns = new Set<RunId>();
  /** By their ids. */
  readonly openErasures = new Map<string, OpenErasure>();
  readonly holds = new HoldHistory();
  newest: Commit | undefined;
  /** Numbers of the commits that tell of an erasure, in order. */
  readonly erasures: number[] = [];
  /** Whether some commit was taken in as it was before an erasure that is finished by now. */
  isOutdated = false;
  #atMs = 0;

  add(commit: Commit): void {
    const { number, digest, kind, run, files, created_at: at } = commit;
    const runBegan = this.runs.get(run) ?? number;
    this.runs.set(run, runBegan);
    this.#atMs = Math.max(this.#atMs, Date.parse(at));
    this.commits.set(number, {
      number,
      digest,
      kind,
      run,
      runBegan,
      atMs: this.#atMs,
      files: files.map(({ path }) => path),
      redactedBy: commit.redacted_by ?? 0,
    });
    this.contents.add(commit);
    this.#addUsers(commit);
    for (const abandoned of commit.abandoned) this.abandonedRuns.add(abandoned);
    if (commit.erasure) this.#addErasure(number, commit.erasure);
    this.holds.add(commit);
    this.newest = commit;
  }

  #addUsers(commit: Commit): void {
    for (const user of new Set([...commit.sessions, ...commit.deletions].map((of) => of.user))) {
      this.#user(user).commits.push(commit.number);
    }
    for (const entry of commit.users) {
      const facts = this.#user(entry.user);
      facts.last = { entry, commit: commit.number, at: commit.created_at };
      if (!isNarrowed(commit)) facts.lastOfAll = facts.last;
    }
  }

  #user(id: UserId): GrowingUserFacts {
    const known = this.users.get(id);
    if (known) return known;
    const facts = { commits: [], last: undefined, lastOfAll: undefined };
    this.users.set(id, facts);
    return facts;
  }

  #addErasure(number: number, erasure: ErasureEntry): void {
    this.erasures.push(number);
    if (erasure.stage === 'begun') {
      const commits = erasure.commits.map((redacted) => redacted.number);
      this.openErasures.set(erasure.id, { number, commits });
      return;
    }
    const begun = this.openErasures.get(erasure.id);
    this.openErasures.delete(erasure.id);
    this.isOutdated ||=
      begun?.commits.some((of) => (this.commits.get(of)?.redactedBy ?? 0) < begun.number) === true;
  }
}

/** A run that was asked for some sessions says nothing about the others. */
function isNarrowed({ scope }: Commit): boolean {
  const { sessions, search } = scope;
  return (Array.isArray(sessions) && sessions.length > 0) || typeof search === 'string';
}
