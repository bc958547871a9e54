/** Reads which numbers the archived rows of a session have: the log has those that its jobs have by now. */
import type { ArchiveTask } from '../../archive/archive.js';
import { readConsistently, retryOnRewrite } from '../../archive/consistent-read.js';
import { SelectedRows } from '../../archive/reading/selected-rows.js';
import { Selection } from '../../archive/reading/selection.js';
import { rowId, type UserId } from '../../model/ids.js';
import { jobsTable } from '../../model/tables.js';
import type { RowNumber, RowNumbers } from './job-numbers.js';

const NEEDED = new Set([
  ...['user_id', 'session_id', 'job_id', 'job_version', 'job_index'],
  ...['created_after', 'created_before'],
]);
const OMITTED = jobsTable.columns.map(({ name }) => name).filter((name) => !NEEDED.has(name));

/** Of the newest version of each job; undefined where they cannot be read, of which `verify` is to tell: an export adds. */
export async function rowNumbers(
  task: ArchiveTask,
  user: UserId,
  session: string,
): Promise<RowNumbers | undefined> {
  try {
    return await readNumbers(task, user, session);
  } catch {
    task.signal.throwIfAborted();
    return undefined;
  }
}

function readNumbers(
  { archive, signal }: ArchiveTask,
  user: UserId,
  session: string,
): Promise<RowNumbers> {
  return retryOnRewrite(() =>
    readConsistently(archive, 'answer', async () => {
      // the sessions of a selection are looked up in the whole log
      const scope = { users: [user], sessions: [] };
      const selection = await Selection.of(archive, scope, signal, false);
      const rows = await SelectedRows.of({ archive, signal }, selection);
      const numbers = new Map<string, RowNumber>();
      for await (const row of rows.rows(jobsTable, OMITTED)) {
        if (row['session_id'] !== rowId(session)) continue;
        const [id, version] = [String(row['job_id']), Number(row['job_version'])];
        if (version < (numbers.get(id)?.version ?? 0)) continue;
        const bound = row['created_after'] ?? row['created_before'] ?? null;
        numbers.set(id, { version, index: Number(row['job_index']), isBounded: bound !== null });
      }
      return numbers;
    }),
  );
}
