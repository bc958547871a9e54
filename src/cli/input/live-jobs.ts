/** Converts jobs of the service to the shape of archived jobs. */
import { fileReferences, placeKey } from '../../flatten/file-references.js';
import { flattenJob } from '../../flatten/flatten-job.js';
import { asRunId, type SessionId, type UserId } from '../../model/ids.js';
import type { JobRecord, Verbatim } from '../../model/records.js';
import { presentableRow } from '../../model/mask-secrets.js';
import type { Row } from '../../model/table-schema.js';
import { blocksTable } from '../../model/tables.js';
import { NO_BOUNDS } from '../../model/time-bounds.js';
import { formatTimestamp } from '../../model/timestamp.js';
import type { JobRows } from '../../archive/reading/session-jobs.js';
import { oldestFirst } from '../../model/oldest-first.js';

interface Place {
  readonly userId: UserId;
  readonly sessionId: SessionId;
}

/** Oldest first. URLs of files are left out: they hold signatures. */
export function liveJobs(records: readonly Verbatim<JobRecord>[], place: Place): JobRows[] {
  const shown = new Map(
    records.map((record, index) => {
      const one = shownJob(record, index, place);
      return [one.job, one] as const;
    }),
  );
  return oldestFirst([...shown.keys()]).flatMap((job) => shown.get(job) ?? []);
}

function shownJob(record: Verbatim<JobRecord>, jobIndex: number, place: Place): JobRows {
  const references = fileReferences(record);
  const facts = { status: 'unresolved', reason: null } as const;
  const { tables } = flattenJob({
    ...place,
    record,
    place: { index: jobIndex, bounds: NO_BOUNDS },
    jobId: record.value.job_id,
    jobVersion: 1,
    runId: asRunId(''),
    exportedAt: 0n,
    isSettled: true,
    contentHash: '',
    files: new Map(references.map((reference) => [placeKey(reference), facts])),
  });
  const rowsOf = (name: string): readonly Row[] =>
    Array.from(tables.find(({ table }) => table.name === name)?.rows ?? []);
  const [job = {}] = rowsOf('jobs');
  return {
    job,
    blocks: rowsOf('blocks').map((row) => presentableRow(blocksTable, row)),
    artifacts: rowsOf('artifacts').map(notDownloaded),
  };
}

function notDownloaded(artifact: Row): Row {
  const until = artifact['expires_at'];
  const reason =
    typeof until === 'bigint'
      ? `its URL expires at ${formatTimestamp(until).slice(0, 19)}Z`
      : 'its URL does not tell when it expires';
  return { ...artifact, status: 'a file of the service', reason };
}
