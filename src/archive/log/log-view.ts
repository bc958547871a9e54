/** The projection of the log: what its commits say together. */
import type { RunId, UserId } from '../../model/ids.js';
import type { CommitKind } from './commit-kind.js';
import type { Commit, ErasureEntry } from './commit.js';
import { AcceptedGaps } from './accepted-gaps.js';
import { HoldHistory } from './hold-history.js';
import { DrillHistory } from './drill-history.js';
import { ContentsBuilder } from './contents.js';
import { NewestListings } from './newest-listings.js';

/** A commit without its sessions, artifacts and manifests. */
export interface CommitFacts {
  readonly number: number;
  readonly digest: string;
  readonly kind: CommitKind;
  readonly run: RunId;
  /** Number of the first commit of the same run. */
  readonly runBegan: number;
  /** The time of the commit, but never before an earlier commit: clocks may be set back. */
  readonly atMs: number;
  /** Paths of the files that it names, also if they have left the archive since. */
  readonly files: readonly string[];
  /** Number of the receipt that vouches for this redacted commit; 0 if it is not redacted. */
  readonly redactedBy: number;
}

/** An erasure that is begun and not finished. */
interface OpenErasure {
  /** Of the receipt. */
  readonly number: number;
  readonly commits: readonly number[];
}

/** Commits are added in order, from the first one on. */
export class LogView {
  readonly contents = new ContentsBuilder();
  /** By number. */
  readonly commits = new Map<number, CommitFacts>();
  /** Numbers of the commits that change sessions of each user, in order; users in the order of the first of them. */
  readonly users = new Map<UserId, number[]>();
  readonly listings = new NewestListings();
  /** Number of the first commit of each run, in this order. */
  readonly runs = new Map<RunId, number>();
  readonly abandonedRuns = new Set<RunId>();
  /** By their ids. */
  readonly openErasures = new Map<string, OpenErasure>();
  readonly holds = new HoldHistory();
  readonly acceptedGaps = new AcceptedGaps();
  readonly drills = new DrillHistory();
  newest: Commit | undefined;
  /** Numbers of the commits about erasures, in order. */
  readonly erasures: number[] = [];
  /** Whether a commit was added as it was before an erasure that is finished by now. */
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
    this.listings.add(commit);
    for (const abandoned of commit.abandoned) this.abandonedRuns.add(abandoned);
    if (commit.erasure) this.#addErasure(number, commit.erasure);
    this.holds.add(commit);
    this.acceptedGaps.add(commit);
    this.drills.add(commit);
    this.newest = commit;
  }

  #addUsers(commit: Commit): void {
    for (const user of new Set([...commit.sessions, ...commit.deletions].map((of) => of.user))) {
      const commits = this.users.get(user);
      if (commits) commits.push(commit.number);
      else this.users.set(user, [commit.number]);
    }
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
