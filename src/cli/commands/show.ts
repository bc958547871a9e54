import type { Archive } from '../../archive/archive.js';
import { againWhereRewritten } from '../../archive/parts/again-where-rewritten.js';
import { traceSessions } from '../../archive/log/session-traces.js';
import { rowsOfSession, type SessionRowsOptions } from '../../archive/parts/read-rows.js';
import { readUnrewritten } from '../../archive/parts/read-unrewritten.js';
import { UsageError } from '../../base/usage-error.js';
import { rowFormats } from '../../formats/formats.js';
import { presentableRow } from '../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../../model/tables.js';
import { withArchive } from '../input/archive-argument.js';
import { storageSettings } from '../../config/storage-settings.js';
import { defineCommand } from '../command.js';
import { conversationText, type ShownJob } from '../output/conversation-text.js';
import { EXIT } from '../exit-code.js';
import { oldestFirst } from '../../model/oldest-first.js';
import { jsonLine } from '../json-line.js';

export const showCommand = defineCommand({
  positionals: {
    archive: 'The archive: a directory or s3://bucket/prefix',
    session: "The session's id",
    job: 'Only this job',
  },
  settings: storageSettings,
  examples: [
    ['jobvault show ./archive 0b6f…', 'the newest version of every job, oldest first'],
    ['jobvault show ./archive 0b6f… job-cm3… --json', 'one job as JSON'],
  ],
  run: async (invocation) => {
    const { settings, terminal, positionals } = invocation;
    const { session = '', job } = positionals;
    await withArchive(invocation, async (archive) => {
      const shown = await againWhereRewritten(() =>
        readUnrewritten(archive, 'answer', () => conversationOf(archive, session, job)),
      );
      terminal.stdout.write(settings.json ? jsonLine(shown) : conversationText(shown));
    });
    return EXIT.complete;
  },
});

async function conversationOf(archive: Archive, session: string, job: string | undefined) {
  const place = archive.storage.location;
  const trace = (await traceSessions(archive.index, [session])).get(session);
  if (!trace) {
    throw new UsageError(
      `${place} has no session "${session}"; jobvault status ARCHIVE --user USER lists those of a user`,
    );
  }
  const options = { archive, formats: rowFormats(), session, trace };
  const sessions = await newest(shownRows(options, sessionsTable), () => '', 'session_version');
  const jobs = await newest(shownRows(options, jobsTable), jobIdOf, 'job_version');
  const wanted = jobs.filter((row) => job === undefined || row['job_id'] === job);
  if (job !== undefined && wanted.length === 0) {
    throw new UsageError(`session "${session}" in ${place} has no job "${job}"`);
  }
  const versions = new Map(wanted.map((row) => [row['job_id'], row['job_version']]));
  const isShown = (row: Row) => versions.get(row['job_id'] ?? null) === row['job_version'];
  const blocks = await gather(shownRows(options, blocksTable), isShown);
  const artifacts = await gather(shownRows(options, artifactsTable), isShown);
  const ofJob = (rows: readonly Row[], id: unknown) => rows.filter((row) => row['job_id'] === id);
  const shown: ShownJob[] = oldestFirst(wanted).map((row) => ({
    job: row,
    blocks: ofJob(blocks, row['job_id']),
    artifacts: ofJob(artifacts, row['job_id']),
  }));
  return { session: sessions[0] ?? { session_id: session }, jobs: shown };
}

/** Without live signatures, which would be on a screen or in a log for all to see. */
async function* shownRows(options: SessionRowsOptions, table: TableSchema): AsyncGenerator<Row> {
  for await (const row of rowsOfSession(options, table)) yield presentableRow(table, row);
}

const jobIdOf = (row: Row): unknown => row['job_id'];

/** Of each key the row with the highest version. */
async function newest(
  rows: AsyncIterable<Row>,
  keyOf: (row: Row) => unknown,
  version: string,
): Promise<Row[]> {
  const best = new Map<unknown, Row>();
  for await (const row of rows) {
    const before = best.get(keyOf(row));
    if (!before || Number(row[version]) >= Number(before[version])) best.set(keyOf(row), row);
  }
  return [...best.values()];
}

async function gather(rows: AsyncIterable<Row>, isWanted: (row: Row) => boolean): Promise<Row[]> {
  const kept: Row[] = [];
  for await (const row of rows) if (isWanted(row)) kept.push(row);
  return kept;
}
