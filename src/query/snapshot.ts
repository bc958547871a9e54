/** What one pass over the log tells a query: the files of every table, and which sessions the service has no more. */
import type { Archive } from '../archive/archive.js';
import type { Commit, FileEntry } from '../archive/log/commit.js';
import { sessionKey } from '../model/ids.js';

export interface Snapshot {
  readonly location: string;
  /** Number of the newest commit; 0 of an empty log. */
  readonly commit: number;
  /** By table; part files of one format, ordered by path. */
  readonly files: ReadonlyMap<string, readonly FileEntry[]>;
  readonly gone: readonly GoneSession[];
}

/** A session that is in the archive, and in the service no more. Times are ISO 8601. */
export interface GoneSession {
  readonly user: string;
  readonly session: string;
  /** When a whole listing was first seen without it. */
  readonly goneAt: string | null;
  /** When its deletion was recorded. */
  readonly deletedAt: string | null;
}

/** Rows stand in each of an archive's formats: one is enough, and Parquet is the faster. */
const EXTENSIONS = ['parquet', 'jsonl.gz'] as const;

/** @throws {IntegrityError} the log is damaged */
export async function readSnapshot(archive: Archive, signal?: AbortSignal): Promise<Snapshot> {
  const { index, storage } = archive;
  const gone = new GoneSessions();
  for await (const commit of index.walk({ signal })) gone.add(commit);
  return {
    location: storage.location,
    commit: index.through,
    files: filesByTable([...index.contents.files.values()]),
    gone: gone.list(),
  };
}

function filesByTable(files: readonly FileEntry[]): Map<string, FileEntry[]> {
  const extension = EXTENSIONS.find((one) => files.some(({ path }) => path.endsWith(`.${one}`)));
  const byTable = new Map<string, FileEntry[]>();
  for (const file of files) {
    if (extension === undefined || !file.path.endsWith(`.${extension}`)) continue;
    const others = byTable.get(file.table);
    if (others) others.push(file);
    else byTable.set(file.table, [file]);
  }
  for (const some of byTable.values()) some.sort((a, b) => (a.path < b.path ? -1 : 1));
  return byTable;
}

/** As a user's state is replayed: a session that is read from the service again is there again. */
class GoneSessions {
  readonly #byKey = new Map<string, GoneSession>();

  add(commit: Pick<Commit, 'sessions' | 'deletions'>): void {
    for (const { user, session, gone_at: goneAt } of commit.sessions) {
      const key = sessionKey(user, session);
      if (goneAt === null) this.#byKey.delete(key);
      else {
        const deletedAt = this.#byKey.get(key)?.deletedAt ?? null;
        this.#byKey.set(key, { user, session, goneAt, deletedAt });
      }
    }
    for (const { user, session, deleted_at: deletedAt } of commit.deletions) {
      const key = sessionKey(user, session);
      const goneAt = this.#byKey.get(key)?.goneAt ?? null;
      this.#byKey.set(key, { user, session, goneAt, deletedAt });
    }
  }

  list(): GoneSession[] {
    return [...this.#byKey.values()];
  }
}
