/** One pass over the log before anything is written: who and what is there, and in which part files. */
import type { Archive } from '../archive/archive.js';
import { isRewrite } from '../archive/log/commit-kind.js';
import type { Commit, FileEntry, UserEntry } from '../archive/log/commit.js';
import type { RowFormat } from '../formats/format.js';
import { artifactsTable, jobsTable, rawJobsTable, sessionsTable } from '../model/tables.js';
import { Selection, type Wanted } from './selection.js';

/** A part file and the commit that names it. */
export interface Part extends FileEntry {
  readonly commit: number;
}

/** The last time that all sessions of a user were listed. */
export interface Listing {
  readonly entry: UserEntry;
  readonly at: string;
}

export interface Survey {
  /** The newest commit that the pack knows of. */
  readonly head: { readonly number: number; readonly digest: string } | null;
  readonly selection: Selection;
  readonly listings: ReadonlyMap<string, Listing>;
  /** Part files of the tables that the pack is made of, in the archive's own format. */
  readonly parts: readonly Part[];
  /** Commits that have rewritten what others wrote. */
  readonly rewriting: ReadonlySet<number>;
  readonly format: RowFormat;
}

const TABLES = new Set(
  [sessionsTable, jobsTable, artifactsTable, rawJobsTable].map(({ name }) => name),
);

/**
 * What a run adds from here on is not in the pack.
 *
 * @throws {UsageError} what is wanted is not in the archive
 * @throws {IntegrityError} the log is damaged
 */
export async function surveyArchive(
  archive: Archive,
  formats: readonly RowFormat[],
  wanted: Wanted,
): Promise<Survey> {
  const { index, log, identity, storage } = archive;
  await index.refresh();
  const format = formats.find(({ name }) => identity.formats.includes(name));
  if (!format) throw new Error(`no format of ${identity.formats.join(',')} can be read`);
  const people = new People(wanted);
  const parts: Part[] = [];
  const rewriting = new Set<number>();
  for await (const commit of log.commits(1, index.through)) {
    people.add(commit);
    if (isRewrite(commit)) rewriting.add(commit.number);
    for (const file of commit.files) {
      const isRead = TABLES.has(file.table) && file.path.endsWith(`.${format.extension}`);
      // a file that a later commit has removed and another has named again counts where it is newest
      if (isRead && index.contents.files.get(file.path)?.sha256 === file.sha256) {
        parts.push({ ...file, commit: commit.number });
      }
    }
  }
  const digest = index.digestOf(index.through);
  return {
    head: digest === null ? null : { number: index.through, digest },
    selection: Selection.of(storage.location, wanted, people),
    listings: people.listings,
    parts,
    rewriting,
    format,
  };
}

class People {
  readonly users = new Set<string>();
  readonly owners = new Map<string, Set<string>>();
  readonly listings = new Map<string, Listing>();

  readonly #wantedUsers: ReadonlySet<string>;

  constructor(wanted: Wanted) {
    this.#wantedUsers = new Set(wanted.users);
    wanted.sessions.forEach((session) => this.owners.set(session, new Set()));
  }

  add(commit: Commit): void {
    for (const { user, session } of [...commit.sessions, ...commit.deletions]) {
      this.users.add(user);
      this.owners.get(session)?.add(user);
    }
    for (const entry of commit.users) {
      this.users.add(entry.user);
      const isWanted = this.#wantedUsers.size === 0 || this.#wantedUsers.has(entry.user);
      // a run that was asked for some sessions says nothing about the others
      if (isWanted && !isNarrowed(commit)) {
        this.listings.set(entry.user, { entry, at: commit.created_at });
      }
    }
  }
}

function isNarrowed({ scope }: Commit): boolean {
  const { sessions, search } = scope;
  return (Array.isArray(sessions) && sessions.length > 0) || typeof search === 'string';
}
