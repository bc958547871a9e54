/** What the last runs did, as their commits tell it. */
import type { RunId } from '../../model/ids.js';
import { isRewrite } from '../log/commit-kind.js';
import type { Commit } from '../log/commit.js';

export interface RunStatus {
  readonly run: RunId;
  /** When its first and its last commit were made; ISO 8601. */
  readonly began: string;
  readonly ended: string;
  /** Numbers of its first and its last commit. */
  readonly commits: readonly [number, number];
  /** Users whom it went through to the end. */
  readonly users: number;
  /** Those of them who were archived without a gap. */
  readonly complete: number;
  /** Sessions of which the log learned something. */
  readonly sessions: number;
  /** Job versions written. */
  readonly jobs: number;
  /** Sessions deleted from the service, and others found deleted. */
  readonly deletions: number;
  /** Another run took it for dead. */
  readonly abandoned: boolean;
}

type Counts = { -readonly [K in keyof RunStatus]: RunStatus[K] } & {
  /** Rows of the table `jobs` in each format: the same ones again. */
  readonly rowsByExtension: Map<string, number>;
  readonly seen: Set<string>;
};

/** Keeps as many runs as are asked for, those that committed last. */
export class RunHistory {
  readonly #runs = new Map<RunId, Counts>();
  readonly #abandoned = new Set<RunId>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Commits come in order. */
  add(commit: Commit): void {
    for (const run of commit.abandoned) this.#abandoned.add(run);
    if (this.#most === 0) return;
    const counts = this.#runs.get(commit.run) ?? begun(commit);
    this.#runs.delete(commit.run);
    this.#runs.set(commit.run, counts);
    count(counts, commit);
    const oldest = this.#runs.keys().next();
    if (this.#runs.size > this.#most && !oldest.done) this.#runs.delete(oldest.value);
  }

  newestFirst(): RunStatus[] {
    return [...this.#runs.values()].reverse().map(({ rowsByExtension, seen, ...status }) => ({
      ...status,
      sessions: seen.size,
      jobs: Math.max(0, ...rowsByExtension.values()),
      abandoned: this.#abandoned.has(status.run),
    }));
  }
}

function begun({ run, number, created_at: at }: Commit): Counts {
  return {
    run,
    began: at,
    ended: at,
    commits: [number, number],
    users: 0,
    complete: 0,
    sessions: 0,
    jobs: 0,
    deletions: 0,
    abandoned: false,
    rowsByExtension: new Map(),
    seen: new Set(),
  };
}

function count(counts: Counts, commit: Commit): void {
  counts.ended = commit.created_at;
  counts.commits = [counts.commits[0], commit.number];
  counts.users += commit.users.length;
  counts.complete += commit.users.filter(({ complete }) => complete).length;
  counts.deletions += commit.deletions.length;
  for (const { user, session } of commit.sessions) counts.seen.add(JSON.stringify([user, session]));
  for (const { path, table, rows } of commit.files) {
    if (table !== 'jobs' || isRewrite(commit)) continue;
    const extension = path.slice(path.lastIndexOf('/')).replace(/^[^.]*\./, '');
    counts.rowsByExtension.set(extension, (counts.rowsByExtension.get(extension) ?? 0) + rows);
  }
}
