/** The tools: what an assistant may ask an archive. Each reads only, and is one call of the library. */
import { withoutData } from '../model/urls/file-url.js';
import { textIn } from '../model/mask-secrets.js';
import { z } from 'zod';
import { dayColumns } from '../archive/reading/known-days.js';
import type { Caveat } from '../archive/reading/caveats/caveat.js';
import {
  completenessOf,
  headlineOf,
  SEVERITY_WORDS,
  sentenceOf,
} from '../archive/reading/caveats/caveat-text.js';
import type { JobRows } from '../archive/reading/rows/session-rows.js';
import { UsageError, firstIssue } from '../base/error.js';
import type { OpenArchive } from '../library/open-archive.js';
import { PERIOD_LIMITS } from '../model/times/period.js';
import type { CellValue, Row } from '../model/table-schema.js';
import { knownTime } from '../model/times/timestamp.js';
import { shownContent } from '../model/blocks/shown-content.js';
import type { ResultColumn } from '../query/result-columns.js';
import type { QueryResult } from '../query/query-result.js';
import { SEARCH_FIELDS } from '../search/search-fields.js';
import type { ToolAnswer } from './answer-text.js';

export interface ToolCall {
  readonly archive: OpenArchive;
  readonly limits: ToolLimits;
  readonly onProgress: (done: number, total: number) => void;
}

/** As those of `jobvault query`. */
export interface ToolLimits {
  readonly memoryBytes: number;
  readonly maxFetchBytes: number;
  readonly temporaryDirectory?: string | undefined;
}

interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Whether it may take longer than a client waits. */
  readonly isLong?: boolean;
  readonly run: (call: ToolCall, given: unknown) => Promise<ToolAnswer>;
}

/** @throws {UsageError} an argument is not as the schema allows */
function defineTool<Input extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'run'> & {
    readonly input: Input;
    readonly run: (call: ToolCall, given: z.infer<Input>) => Promise<ToolAnswer>;
  },
): Tool {
  const { name, input } = tool;
  return {
    ...tool,
    run: async (call, given) => {
      const parsed = input.safeParse(given ?? {});
      if (parsed.success) return tool.run(call, parsed.data);
      throw new UsageError(`the arguments of ${name} are not allowed: ${firstIssue(parsed.error)}`);
    },
  };
}

const limit = (most: number, byDefault: number): z.ZodDefault<z.ZodInt> =>
  z.int().min(1).max(most).default(byDefault);
const offset = z.int().min(0).default(0).describe('How many come before the first that is wanted');
const user = z.string().min(1).optional().describe('Only of this user, by id; default: everybody');

const status = defineTool({
  name: 'status',
  title: 'Status of the archive',
  description:
    'Says what the archive holds and what it lacks: users, sessions, jobs, gaps, the last runs. With a user, the counts of that user alone.',
  input: z.strictObject({ user }),
  run: async ({ archive }, given) => {
    if (given.user === undefined) {
      const facts = { ...(await archive.status()) };
      return { says: caveatSentences(facts.caveats), facts };
    }
    const caveats = await archive.caveats(scopeOf(given.user));
    const says = caveatSentences(caveats);
    // a conversation that another spelling lists counts here, too, as for the other tools
    const counts = await archive.userStatus(given.user);
    const user = { ...counts, status: completenessOf(caveats) };
    return { says, facts: { head: (await archive.status()).head, user, caveats } };
  },
});

const sessions = defineTool({
  name: 'sessions',
  title: 'Sessions in the archive',
  description:
    'Lists sessions (conversations), those with the newest question first: id, user, name, times, number of jobs. A job is one question with its answer.',
  input: z.strictObject({ user, limit: limit(200, 50), offset }),
  run: async ({ archive }, given) => {
    const users = given.user === undefined ? [] : [given.user];
    const most = given.offset + given.limit;
    const newest = await archive.sessions({ users, most });
    const caveats = await archive.caveats(scopeOf(given.user));
    const items = newest.sessions.slice(given.offset);
    const list = { name: 'sessions', items, total: newest.total, offset: given.offset };
    return { says: caveatSentences(caveats), facts: { caveats }, list };
  },
});

const show = defineTool({
  name: 'show',
  title: 'One conversation',
  description:
    'Shows a session: its jobs in the order in which they were asked, each with its question, the blocks of its answer and its files. With a job, that one alone, with longer texts. Of a job with more than 50 blocks, query has the rest: current_blocks.',
  input: z.strictObject({
    session: z
      .string()
      .min(1)
      .describe('The id of the session, the beginning of it that no other has, or its exact name'),
    job: z
      .string()
      .min(1)
      .optional()
      .describe('The id of one of its jobs, or the beginning of it; default: all'),
    limit: limit(200, 20),
    offset,
  }),
  run: async ({ archive }, given) => {
    const [id = given.session] = await archive.resolveSessions({
      users: [],
      sessions: [given.session],
    });
    const { session, jobs, caveats } = await archive.show(id, { job: given.job });
    const days = dayColumns(archive.identity.pseudonymised);
    const items = jobs
      .slice(given.offset, given.offset + given.limit)
      .map((job) => shownJob(job, days));
    return {
      says: caveatSentences(caveats),
      facts: { session: shownRow(session, days), caveats },
      list: { name: 'jobs', items, total: jobs.length, offset: given.offset },
      longestText: given.job === undefined ? undefined : LONGEST_OF_ONE_JOB,
    };
  },
});

const LONGEST_OF_ONE_JOB = 30_000;

const search = defineTool({
  name: 'search',
  title: 'Search questions and answers',
  description:
    'Finds jobs by their words, newest first. All words must be in a job, each anywhere in it; "a phrase" in quotes, -word excludes, OR joins the word before and the word after. A word is found at the beginning of words. Of tables the first 16 KB are searched; what is in images and in linked files is not.',
  input: z.strictObject({
    words: z.string().min(1),
    user,
    from: z.string().optional().describe(`Not before: ${PERIOD_LIMITS}`),
    to: z.string().optional().describe('Not after; a day counts to its end'),
    in: z.array(z.enum(SEARCH_FIELDS)).min(1).optional().describe('Default: everywhere'),
    undated: z
      .enum(['include', 'exclude'])
      .optional()
      .describe('With from or to: what becomes of jobs whose date is unknown'),
    limit: limit(100, 20),
  }),
  run: async ({ archive, limits }, { words, ...given }) => {
    const { hits, unverifiedBytes, ...facts } = await archive.search(words, {
      users: given.user === undefined ? [] : [given.user],
      from: given.from,
      to: given.to,
      in: given.in,
      undated: given.undated,
      limit: given.limit,
      maxFetchBytes: limits.maxFetchBytes,
      temporaryDirectory: limits.temporaryDirectory,
    });
    return {
      says: [...caveatSentences(facts.caveats), ...unverifiedSentence(unverifiedBytes)],
      facts,
      list: { name: 'hits', items: hits, total: facts.matches },
    };
  },
});

const query = defineTool({
  name: 'query',
  title: 'Query the tables in SQL',
  description:
    'Runs one SELECT in the SQL of DuckDB over the tables of the archive. SHOW TABLES lists them, DESCRIBE current_jobs the columns of one. Views named current_* have only the newest version of each job: use them to count. Nothing else can be read, and nothing written.',
  input: z.strictObject({ sql: z.string().min(1), limit: limit(500, 50) }),
  run: async ({ archive, limits }, given) => {
    const caveats = await archive.caveats();
    const read = async (result: QueryResult): Promise<ToolAnswer> => {
      const { commits, columns, rowCount, unverifiedBytes } = result;
      const items: object[] = [];
      for await (const rows of result.rows(given.limit)) {
        for (const row of rows) items.push(rowObject(columns, row));
      }
      return {
        says: [...caveatSentences(caveats), ...unverifiedSentence(unverifiedBytes)],
        facts: {
          commit: commits[0].commit,
          columns: columns.map(({ name, type }) => ({ name, type })),
          caveats,
        },
        list: { name: 'rows', items, total: rowCount },
      };
    };
    return archive.queryResult(given.sql, read, limits);
  },
});

const verify = defineTool({
  name: 'verify',
  title: 'Verify the archive',
  description:
    'Proves that the archive is whole: the chain of its log, and every file against it. It reads every file, which takes minutes for a large archive; with sample, only that share of them.',
  input: z.strictObject({
    sample: z.number().gt(0).max(1).optional().describe('The share of files to read, such as 0.05'),
  }),
  isLong: true,
  run: async ({ archive, onProgress }, given) => {
    const report = await archive.verify({
      sample: given.sample,
      onProgress: ({ checked, total }) => onProgress(checked, total),
    });
    const caveats = await archive.caveats().catch(() => null);
    const count = report.problems.length;
    const verdict =
      count === 0 ? 'Intact: what was read is as the log says.' : `Damaged; problems: ${count}.`;
    const { problems, ...facts } = report;
    return {
      says: [verdict, ...(caveats ? caveatSentences(caveats) : [])],
      facts: { status: count === 0 ? 'intact' : 'damaged', ...facts, caveats },
      list: { name: 'problems', items: problems, total: count },
    };
  },
});

export const TOOLS: readonly Tool[] = [status, sessions, show, search, query, verify];

function scopeOf(user: string | undefined): { readonly users: readonly string[] } {
  return { users: user === undefined ? [] : [user] };
}

/** What is missing first; names are in the data. */
function caveatSentences(caveats: readonly Caveat[]): string[] {
  if (caveats.length === 0) return [];
  const told = caveats.map(
    (caveat) => `${SEVERITY_WORDS[caveat.severity]}: ${sentenceOf(caveat)}.`,
  );
  return [`${headlineOf(caveats)}.`, ...told];
}

function unverifiedSentence(bytes: number): string[] {
  if (bytes === 0) return [];
  return [`Of ${bytes} bytes of files only the size was compared with the log.`];
}

/** Digits beyond what a number holds, infinities and nested values stay texts. */
function rowObject(columns: readonly ResultColumn[], row: readonly (string | null)[]): object {
  const entries = columns.map(({ name, form }, at) => [name, cellOf(form, row[at] ?? null)]);
  return Object.fromEntries(entries) as object;
}

function cellOf(form: ResultColumn['form'], cell: string | null): unknown {
  if (cell === null) return null;
  if (form === 'boolean') return cell === 'true';
  if (form !== 'number') return cell;
  const number = Number(cell);
  return Number.isSafeInteger(number) || String(number) === cell ? number : cell;
}

/** What a reader of the conversation needs of a job. */
function shownJob({ job, blocks, artifacts }: JobRows, days: ReadonlySet<string>): object {
  const ofJob = ['job_id', 'job_version', 'created_at', 'created_after', 'created_before'];
  const ofBlock = ['role', 'block_index', 'type', 'stage', 'group_name', 'code_language'];
  const ofFile = ['role', 'block_index', 'kind', 'name', 'status', 'reason', 'suspicious', 'path'];
  const answer = blocks.filter((block) => block['role'] === 'answer');
  return {
    ...picked(job, [...ofJob, 'question_text'], days),
    answer: answer.map((block) => {
      const { text, json } = shownContent(block, false);
      const sent = text ?? textIn(block, 'content_json');
      const content = sent === null ? null : withoutData(sent);
      // a text may be a part of the content alone
      const rest = text !== null && json !== null ? { content_json: withoutData(json) } : {};
      return { ...picked(block, ofBlock), content, ...rest };
    }),
    files: artifacts.map((file) => picked(file, [...ofFile, 'sha256', 'bytes', 'row_count'])),
  };
}

function shownRow(row: Row, days: ReadonlySet<string>): object {
  return picked(row, Object.keys(row), days);
}

/** Without empty cells; times as ISO 8601. @param days columns of which the day alone is known */
function picked(row: Row, columns: readonly string[], days?: ReadonlySet<string>): object {
  const entries = columns.flatMap((name) => {
    const cell = row[name] ?? null;
    return cell === null ? [] : [[name, shownCell(name, cell, days?.has(name) === true)]];
  });
  return Object.fromEntries(entries) as object;
}

const TIMES = /_(?:at|after|before)$/;

function shownCell(name: string, cell: CellValue, isOfDays: boolean): CellValue {
  return typeof cell === 'bigint' && TIMES.test(name) ? knownTime(cell, isOfDays) : cell;
}
