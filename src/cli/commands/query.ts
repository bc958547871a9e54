/** Runs a query on an archive or several and writes its rows. */
import { placeOf } from '../command-place.js';
import { NO_ARCHIVE } from '../../archive/open-archive.js';
import type { Caveat } from '../../archive/reading/caveats/caveat.js';
import { UsageError } from '../../base/error.js';
import { querySettings } from '../../config/search-settings.js';
import type { QueryResult } from '../../query/query-result.js';
import { counted } from '../../base/text/counted.js';
import { withArchive, withArchives } from '../input/access.js';
import type { Logger } from '../../base/logger.js';
import type { OpenArchive } from '../../library/open-archive.js';
import type { OpenArchives } from '../../library/open-archives.js';
import { usersInSeveralText } from '../output/reports/status/what-is-archived.js';
import { defineCommand, type Invocation } from '../command.js';
import type { UserRow } from '../../query/views/users-view.js';
import { readUserRows } from '../input/users.js';
import { readGiven } from '../input/given-file.js';
import { assertOutsideArchive } from '../input/outside-archive.js';
import { chosenOutput, headOf, resultHead, resultLine, written } from '../output/query-output.js';
import { writeWholeFile } from '../output/write-whole-file.js';
import { jsonLine } from '../json-line.js';
import {
  caveatsTold,
  tellCaveats,
  type CaveatsByArchive,
  type CaveatsToldByArchive,
} from '../output/tell-caveats.js';
import { warnUnverified } from '../output/warn-unverified.js';
import { terminalWidth } from '../output/terminal.js';

type Query = Invocation<typeof querySettings>;

export const queryCommand = defineCommand({
  usage: 'query [archive] [sql..]',
  describe:
    'Query the archive in SQL: its tables, current_* views of the newest versions, and v_* views with ready answers',
  positionals: {
    sql: 'One SELECT in the SQL of DuckDB; words before it are further archives',
  },
  settings: querySettings,
  examples: {
    'jobvault query ./archive "SHOW TABLES"': 'lists tables and views; DESCRIBE jobs lists columns',
    'jobvault query ./archive "FROM v_usage_by_week" --to usage.xlsx':
      'a ready answer (v_*): users, conversations and questions of each week, as a workbook',
    'jobvault query ./archive "SELECT user_id, count(*) FROM current_jobs GROUP BY ALL"':
      'counts the questions of each user',
    'jobvault query ./archive --users-file users.csv "SELECT team, count(DISTINCT person) FROM v_questions JOIN users USING (user_id) GROUP BY ALL"':
      'counts the people of each team, a column of users.csv, who have asked something',
    'jobvault query ./archive --sql-file usage.sql --to usage.parquet':
      'writes CSV, JSON, Parquet or a workbook, by the ending of the name',
    'jobvault query ./archive "FROM v_usage_by_week" --to usage.csv --excel --csv-separator \';\'':
      'CSV that a German or French Excel opens: semicolons, and 1,5',
    'jobvault query ./archive-1 ./archive-2 "SELECT archive, count(*) FROM current_jobs GROUP BY ALL"':
      'tables have the rows of both archives, and a column archive',
    'jobvault query ./archive --views > views.sql':
      'prints the SQL of the same tables and views for another DuckDB',
  },
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings } = invocation;
    if (settings.views) {
      await printViews(invocation);
      return {};
    }
    const caveats = await answer(invocation);
    return settings.json ? {} : { log: () => tellCaveats(caveats, invocation) };
  },
});

async function printViews(invocation: Query): Promise<void> {
  const { settings, print } = invocation;
  const { locations, sql: given } = wordsOf(invocation);
  if (given !== undefined) {
    throw new UsageError('--views prints SQL and runs none; leave out the query');
  }
  await withOneOrMore(locations, invocation, async (archives) => {
    const users = await usersFor(VIEW_OF_USERS, invocation);
    const { commits, views, sql } = await archives.views({ users });
    await print(settings.json ? jsonLine({ ...headOf(commits), views }) : sql);
  });
}

/** @returns what qualifies the answer */
async function answer(invocation: Query): Promise<CaveatsByArchive> {
  const { settings, terminal, logger, print } = invocation;
  const { to, json } = settings;
  const { stdout } = terminal;
  const output = chosenOutput(settings, stdout);
  const { locations } = wordsOf(invocation);
  if (to !== undefined) for (const location of locations) await assertOutsideArchive(to, location);
  const sql = await sqlOf(invocation);
  return withOneOrMore(locations, invocation, async (archives) => {
    // rows for people are printed before what qualifies them is looked for, which reads more of the log
    const isToldFirst = json || to !== undefined;
    const caveats = isToldFirst ? await caveatsOf(archives) : NO_CAVEATS;
    const answerTo = async (result: QueryResult): Promise<void> => {
      warnUnverified(result.unverifiedBytes, logger);
      warnOfSeveral(result, logger);
      if (to !== undefined) {
        await writeWholeFile(to, written(result, output, settings));
        await print(writtenText(to, result, { json, caveats: toldOf(caveats, invocation) }));
        return;
      }
      const data = json
        ? resultLine(result, toldOf(caveats, invocation))
        : written(result, output, { ...settings, width: terminalWidth(stdout) });
      // rows are data: only a terminal gets them with control characters escaped
      await print(stdout.isTTY === true ? data : asData(data));
    };
    const users = await usersFor(sql, invocation);
    await archives.queryResult(sql, answerTo, { ...settings, users });
    return isToldFirst ? caveats : caveatsOf(archives);
  });
}

function toldOf(caveats: CaveatsByArchive, { sources }: Query): CaveatsToldByArchive {
  const told = ([archive, all]: readonly [string, readonly Caveat[]]) =>
    [archive, caveatsTold(all, placeOf(sources, archive))] as const;
  return new Map([...caveats].map(told));
}

const NO_CAVEATS: CaveatsByArchive = new Map();

const VIEW_OF_USERS = 'users';

/** The rows of the users file; undefined where there is none, or the SQL has no use for it. */
async function usersFor(
  sql: string,
  { settings, terminal, logger }: Query,
): Promise<readonly UserRow[] | undefined> {
  const { usersFile } = settings;
  if (usersFile === undefined || !sql.toLowerCase().includes(VIEW_OF_USERS)) return undefined;
  return readUserRows(usersFile, { terminal, logger });
}

/** SQL may ask for anything: the caveats are those of everybody. */
async function caveatsOf(archives: Queried): Promise<CaveatsByArchive> {
  if ('location' in archives) {
    return new Map([[archives.location, await archives.caveats()]]);
  }
  return archives.caveats();
}

/** The words of the command line: archives, and behind them the SQL, unless it is in a file, or none is asked for. */
function wordsOf({ settings, positionals, furtherWords }: Query): {
  readonly locations: readonly string[];
  readonly sql: string | undefined;
} {
  const { archive = '', sql: second } = positionals;
  const words = [archive, ...(second === undefined ? [] : [second]), ...furtherWords];
  // SQL is refused where there may be none
  const mayHaveNone = settings.views || settings.sqlFile !== undefined;
  const hasNone = words.length === 1 || (mayHaveNone && !SQL_BEGINS.test(words.at(-1) ?? ''));
  const sql = hasNone ? undefined : words.at(-1);
  return { locations: sql === undefined ? words : words.slice(0, -1), sql };
}

/** Hardly any place begins with a word of SQL and a blank. */
const SQL_BEGINS =
  /^(?:\s|\(|\/\*.*?\*\/)*(select|with|from|values|describe|summarize|show|pivot|unpivot)\s/is;

type Queried = OpenArchive | OpenArchives;

async function withOneOrMore<T>(
  locations: readonly string[],
  invocation: Query,
  use: (archives: Queried) => Promise<T>,
): Promise<T> {
  if (locations.length === 1) return withArchive(invocation, use);
  return withArchives(locations, invocation, use).catch((error: unknown) => {
    if (!(error instanceof UsageError && error.message.includes(NO_ARCHIVE))) throw error;
    const advice = 'of several words the last is the SQL, in one pair of quotes';
    throw new UsageError(`${error.message}; ${advice}, and the others are archives`);
  });
}

function warnOfSeveral({ usersInSeveral }: QueryResult, logger: Logger): void {
  const sentence = usersInSeveralText(usersInSeveral);
  if (sentence === null) return;
  logger.warn(
    { users: usersInSeveral.length },
    `${sentence}; tables have their rows of each, current_* and v_* views each question once`,
  );
}

async function* asData(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function writtenText(
  to: string,
  result: QueryResult,
  { json, caveats }: { readonly json: boolean; readonly caveats: CaveatsToldByArchive },
): string {
  if (json) return jsonLine({ ...resultHead(result, caveats), to });
  return `${counted(result.rowCount, 'row')} in ${to}\n`;
}

/** @throws {UsageError} there is no SQL, or it is given twice */
async function sqlOf(invocation: Query): Promise<string> {
  const { settings, terminal } = invocation;
  const { sqlFile } = settings;
  const { sql, locations } = wordsOf(invocation);
  if (sqlFile === undefined) {
    if (sql !== undefined) return sql;
    const [first = ''] = locations;
    if (SQL_BEGINS.test(first)) {
      throw new UsageError(
        'the first word is the archive, and the only one here is SQL; name the archive before it: jobvault query ARCHIVE "SELECT …"',
      );
    }
    throw new UsageError('no query is given; give SQL in quotes, --sql-file or --views');
  }
  if (sql !== undefined) throw new UsageError('the query is given twice, here and by --sql-file');
  return (await readGiven('--sql-file', sqlFile, terminal)).toString().replace(/^\uFEFF/, '');
}
