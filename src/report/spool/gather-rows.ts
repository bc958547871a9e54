/** Reads every part file once and sets its rows aside by session, so that a session's rows come together. */
import { filesOfTable, type Archive } from '../../archive/archive.js';
import { readPart } from '../../archive/read-part.js';
import type { RowFormat } from '../../formats/format.js';
import { presentableRow } from '../../model/mask-secrets.js';
import type { Row, TableSchema } from '../../model/table-schema.js';
import { textIn } from '../../model/text-in.js';
import { artifactsTable, blocksTable, jobsTable, sessionsTable } from '../../model/tables.js';
import type { Storage } from '../../storage/storage.js';
import { Spool } from '../../archive/parts/spool.js';
import { lineOf, rowOf } from '../../archive/parts/spooled-row.js';
import type { LongTexts } from '../long-texts.js';
import type { Survey, SurveyedSession } from '../survey.js';

/** All versions, in the order written. */
export interface SessionRows {
  readonly of: SurveyedSession;
  readonly sessions: Row[];
  readonly jobs: Row[];
  readonly artifacts: Row[];
  readonly blocks: Row[];
}

export interface GatherOptions {
  readonly archive: Archive;
  readonly formats: readonly RowFormat[];
  readonly survey: Survey;
  /** Where rows are set aside. */
  readonly target: Storage;
  readonly longTexts: LongTexts;
  readonly signal: AbortSignal | undefined;
}

const TABLES = [sessionsTable, jobsTable, artifactsTable, blocksTable] as const;
/** Blocks of a bucket: some 20 MB. */
const BUCKET_BLOCKS = 20_000;
const MAX_BUCKETS = 256;

/**
 * Yields each session of the survey once, also those that have no rows. Memory holds a bucket of them.
 *
 * @throws {IntegrityError | FormatError} as `readPart`
 */
export async function* sessionsOf(options: GatherOptions): AsyncGenerator<SessionRows> {
  const { survey, target, signal } = options;
  const spool = await Spool.open(target, await bucketsFor(options));
  try {
    for (const table of TABLES) await setAside(options, table, spool);
    await spool.close();
    const all = [...survey.users.values()].flatMap((user) => [...user.sessions.values()]);
    for (let bucket = 0; bucket < spool.size; bucket++) {
      signal?.throwIfAborted();
      const sessions = all.filter(({ number }) => number % spool.size === bucket);
      yield* await readBucket(spool, bucket, sessions);
    }
  } finally {
    await spool.discard();
  }
}

async function bucketsFor({ archive }: GatherOptions): Promise<number> {
  const files = await filesOfTable(archive, blocksTable.name);
  const rows = files.reduce((sum, file) => sum + file.rows, 0);
  return Math.min(MAX_BUCKETS, Math.ceil(rows / BUCKET_BLOCKS) + 1);
}

async function setAside(options: GatherOptions, table: TableSchema, spool: Spool): Promise<void> {
  const { survey, longTexts } = options;
  for await (const row of rowsOf(options, table)) {
    const user = survey.users.get(textIn(row, 'user_id') ?? '');
    const session = user?.sessions.get(textIn(row, 'session_id') ?? '');
    if (!session || !survey.view.selection.hasRow(row)) continue;
    // the number leads the line, so that no key has to be made of two ids
    const { number } = session;
    const shown = await longTexts.shown(table, row);
    await spool.add(number % spool.size, `${number} ${lineOf(table, shown)}`);
  }
}

/** Every row of a table in the newest commit, as people may see it: no live signature gets into a report. */
export async function* rowsOf(
  {
    archive,
    formats,
    signal,
  }: Pick<GatherOptions, 'archive' | 'formats'> & { readonly signal?: AbortSignal | undefined },
  table: TableSchema,
): AsyncGenerator<Row> {
  const format = formats.find(({ name }) => archive.identity.formats.includes(name));
  if (!format) return;
  for (const file of await filesOfTable(archive, table.name)) {
    if (!file.path.endsWith(`.${format.extension}`)) continue;
    for await (const rows of readPart(archive, file, { table, format, signal })) {
      for (const row of rows) yield presentableRow(table, row);
    }
  }
}

async function readBucket(
  spool: Spool,
  bucket: number,
  sessions: readonly SurveyedSession[],
): Promise<Iterable<SessionRows>> {
  const gathered = new Map<string, SessionRows>(
    sessions.map((of) => [
      String(of.number),
      { of, sessions: [], jobs: [], artifacts: [], blocks: [] },
    ]),
  );
  for await (const line of spool.lines(bucket)) {
    const space = line.indexOf(' ');
    const rows = gathered.get(line.slice(0, space));
    const { table, row } = rowOf(TABLES, line.slice(space + 1));
    rows?.[table as 'sessions' | 'jobs' | 'artifacts' | 'blocks'].push(row);
  }
  return gathered.values();
}
