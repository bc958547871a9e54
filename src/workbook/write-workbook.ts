/** Makes a workbook of one user, of several, or of a period: a cover sheet, the conversations as people read them, then the tables. */
import type { Archive } from '../archive/archive.js';
import { readConsistently } from '../archive/consistent-read.js';
import { retryOnRewrite } from '../archive/retry-on-rewrite.js';
import { WorkbookFile } from '../formats/xlsx/workbook-file.js';
import { writeSheets } from '../formats/xlsx/workbook.js';
import { Making, type ProductOptions } from '../making/making.js';
import { Survey } from '../making/survey.js';
import { dayColumns, knowsDaysAlone } from '../archive/reading/known-days.js';
import { caveatsOf } from '../archive/reading/caveats/caveat.js';
import { completenessOf } from '../archive/reading/caveats/caveat-text.js';
import type { Made } from '../making/made.js';
import type { StagedObject, Storage } from '../storage/storage.js';
import { partOf, writeConversations } from './conversation-sheets.js';
import { fileLinks } from './file-links.js';
import { storedFilesOf, WorkbookConversations } from './conversations.js';
import { AskedSpan } from './asked-span.js';
import { countSheets } from './answer-tables.js';
import { whoseText, writeCover } from './cover-sheet.js';
import { gatherRows, type PeopleRows } from './people-rows.js';
import { messageOf, UsageError } from '../base/error.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';

export interface WorkbookOptions extends ProductOptions {
  /** Empty: everybody. */
  readonly users: readonly string[];
  /** Where the workbook is made; rows are set aside there, too. */
  readonly target: Storage;
  /** The file's name there; an existing file is replaced. */
  readonly name: string;
}

export interface WorkbookSummary extends Made {
  /** Null where it is of several, or of everybody. */
  readonly user: string | null;
  readonly sheets: number;
  /** SHA-256 of the file. */
  readonly digest: string;
}

/**
 * Reads only what the log names as of now, and compares each part file with it before any row counts, and each table and image
 * that it counts.
 * Memory holds a few hundred jobs and a line for each session; the rest waits in `target`.
 *
 * @throws {UsageError} the archive has no such user, or the words or the period make no sense
 * @throws {IntegrityError | FormatError} the archive is damaged; the message names the object
 * @throws {RewrittenMeanwhileError} it was rewritten again and again
 * @throws {StorageError} the workbook cannot be written
 */
export async function writeWorkbook(options: WorkbookOptions): Promise<WorkbookSummary> {
  const { archive, target, name, signal } = options;
  await sweepBeside(target, archive);
  const { survey, rows } = await retryOnRewrite(() =>
    readConsistently(archive, 'workbook', async () => {
      const making = await Making.of(options, 'workbook');
      return { survey: await Survey.of(making), rows: await gatherRows(options, making.rows) };
    }),
  );
  try {
    const staged = await target.stage();
    try {
      const summary = await write(options, survey, rows, staged);
      signal?.throwIfAborted();
      const { bytes, sha256: digest } = await staged.close();
      await staged.publish(name);
      return { ...summary, bytes, digest };
    } finally {
      await staged.discard();
    }
  } finally {
    await rows.discard();
  }
}

async function write(
  options: WorkbookOptions,
  survey: Survey,
  rows: PeopleRows,
  staged: StagedObject,
): Promise<Omit<WorkbookSummary, 'bytes' | 'digest'>> {
  const { archive, target } = options;
  const { making } = survey;
  const { reading, found, asOf } = making;
  const conversations = await WorkbookConversations.of(rows, survey, target);
  const links = fileLinks(archive, target);
  const madeAt = new Date(archive.clock.now());
  const newest = asOf ? `${asOf.number}:${asOf.digest}`.slice(0, 20) : 'none';
  const footer = `${whoseText(survey)} · ${madeAt.toISOString().slice(0, 10)} · ${newest}`;
  const workbook = await WorkbookFile.begin(staged, { footer });
  const files = new Set<string>();
  try {
    const { pseudonymised: copy } = archive.identity;
    const isOfDays = knowsDaysAlone(copy);
    const asked = new AskedSpan(isOfDays);
    const questions = new Map<string, number>();
    const counts = await countSheets(conversations, (conversation) => {
      const { user } = conversation.session;
      questions.set(user, (questions.get(user) ?? 0) + conversation.jobs.length);
      for (const { job } of conversation.jobs) asked.add(job);
      for (const path of storedFilesOf(conversation)) files.add(path);
      making.tell(conversation.session, conversation);
    });
    await writeCover(workbook, {
      archive,
      survey,
      choice: options,
      request: options.request,
      by: options.by,
      rows,
      asked,
      questions,
      counts,
      fileCount: files.size,
      links,
      madeAt,
    });
    const namesUsers = !survey.isOfOne;
    const someMayChange = reading.remarks.unsettled.count > 0;
    await writeConversations(workbook, conversations, {
      isOfDays,
      links,
      namesUsers,
      someMayChange,
      someAreWithheld: [...survey.sessions()].some((session) => partOf(session) !== undefined),
      isOfWords: found !== undefined && found.facts.searched_in !== null,
    });
    const folded = namesUsers ? COLLAPSED_COLUMNS : new Set([...COLLAPSED_COLUMNS, 'user_id']);
    await writeSheets(rows.sources, workbook, { folded, days: dayColumns(copy) });
    await workbook.finish();
  } catch (error) {
    workbook.abort();
    throw error;
  } finally {
    await conversations.discard();
  }
  const caveats = caveatsOf(reading);
  return {
    status: completenessOf(caveats),
    caveats,
    user: survey.isOfOne ? ([...survey.users.keys()][0] ?? null) : null,
    users: survey.peopleCount,
    sessions: survey.sessionCount,
    jobs: survey.jobCount,
    artifacts: files.size,
    search: found?.facts ?? null,
    head: asOf,
    sheets: workbook.sheets,
    request: options.request?.name ?? null,
  };
}

/**
 * Columns of tables that few people read: they are collapsed, so that the others fit on a page. What
 * is the same in every row, what another column or sheet says better, and what only programs compare.
 */
const COLLAPSED_COLUMNS: ReadonlySet<string> = new Set([
  'run_id',
  'exported_at',
  'created_at_source',
  'created_after',
  'created_before',
  'content_hash',
  'content_json',
  'extra_json',
  'is_settled',
  'is_withdrawn',
  'question_block_count',
  'answer_block_count',
  'analyze_block_count',
  'respond_block_count',
  'artifact_count',
  'source_count',
  'agent_id',
  'type_raw',
  'group_id',
  'char_count',
  'artifact_sha256',
  'datasource_id',
  'external_id',
  'file_index',
  'url',
  'expires_at',
  'sha256',
  'media_type',
  'path',
  'row_count',
  'column_count',
  'encoding',
  'separator',
  'heading_line',
  'width',
  'height',
]);

/**
 * @param out `FILE.xlsx` or `s3://bucket/FILE.xlsx`; one that is there is replaced
 * @throws {UsageError} it does not name a workbook; as `writeWorkbook`
 */
export async function makeWorkbook(
  out: string,
  options: Omit<WorkbookOptions, 'target' | 'name'>,
  storage?: StorageOptions,
): Promise<WorkbookSummary> {
  const { place, name } = placeOf(out);
  const target = await openStorage(place, storage);
  try {
    return await writeWorkbook({ ...options, target, name });
  } finally {
    await target.close();
  }
}

/** What a killed run has staged beside its workbook has texts of people, also of those who were erased since. */
async function sweepBeside(target: Storage, { logger }: Archive): Promise<void> {
  try {
    const files = await target.sweep({ isShared: true });
    if (files > 0) logger.info({ files }, 'removed files that interrupted runs had staged');
  } catch (error) {
    // whoever may write there may not be allowed to delete
    const reason = messageOf(error);
    logger.warn({ reason }, 'files that interrupted runs have staged there may be left');
  }
}

function placeOf(out: string): { readonly place: string; readonly name: string } {
  const end = /^(?:(.*)[/])?([^/\\]+\.xlsx)$/is.exec(out);
  const [, place, name] = end ?? [];
  if (name === undefined || place?.endsWith(':/') === true) {
    throw new UsageError(`${out} is no workbook; allowed is a file whose name ends in .xlsx`);
  }
  return { place: place === '' ? '/' : (place ?? '.'), name };
}
