/** Runs a query on an archive and writes its rows. */
import { UsageError } from '../../base/error.js';
import { querySettings } from '../../config/query-settings.js';
import type { QueryResult } from '../../query/result-columns.js';
import { counted } from '../output/aligned.js';
import { withArchive } from '../input/access.js';
import { defineCommand, type Invocation } from '../command.js';
import { readGiven } from '../input/given-file.js';
import { assertOutsideArchive } from '../input/outside-archive.js';
import {
  chosenOutput,
  headOf,
  resultLine,
  written,
  writeWholeFile,
} from '../output/query-output.js';
import { jsonLine } from '../json-line.js';
import { warnUnverified } from '../output/warn-of-gaps.js';
import { terminalWidth } from '../output/terminal.js';

type Query = Invocation<typeof querySettings>;

export const queryCommand = defineCommand({
  positionals: {
    archive: 'The archive: a directory or s3://bucket/prefix',
    sql: 'One SELECT in the SQL of DuckDB',
  },
  settings: querySettings,
  examples: [
    [
      'jobvault query ./archive "SHOW TABLES"',
      'lists tables and views; DESCRIBE jobs lists columns',
    ],
    [
      'jobvault query ./archive "FROM v_usage_by_week" --to usage.xlsx',
      'a ready answer (v_*): users, conversations and questions of each week, as a workbook',
    ],
    [
      'jobvault query ./archive "SELECT user_id, count(*) FROM current_jobs GROUP BY ALL"',
      'counts the questions of each user',
    ],
    [
      'jobvault query ./archive --sql-file usage.sql --to usage.parquet',
      'writes CSV, JSON, Parquet or a workbook, by the ending of the name',
    ],
    ['jobvault query ./archive --views > views.sql', 'prints the same tables for another DuckDB'],
  ],
  onlyReads: () => true,
  run: async (invocation) => {
    if (invocation.settings.views) await printViews(invocation);
    else await answer(invocation);
    return {};
  },
});

async function printViews(invocation: Query): Promise<void> {
  const { settings, positionals, print } = invocation;
  if (positionals['sql'] !== undefined) {
    throw new UsageError('--views prints SQL and runs none; leave out the query');
  }
  await withArchive(invocation, async (archive) => {
    const { location } = archive;
    const { commit, views, sql } = await archive.views();
    await print(settings.json ? jsonLine({ archive: location, commit, views }) : sql);
  });
}

async function answer(invocation: Query): Promise<void> {
  const { settings, terminal, positionals, logger, print } = invocation;
  const { to, json } = settings;
  const { stdout } = terminal;
  const output = chosenOutput(settings, stdout);
  if (to !== undefined) await assertOutsideArchive(to, positionals['archive'] ?? '');
  const sql = await sqlOf(invocation);
  await withArchive(invocation, async (archive) => {
    const { location } = archive;
    const answerTo = async (result: QueryResult): Promise<void> => {
      warnUnverified(result.unverifiedBytes, logger);
      if (to !== undefined) {
        await writeWholeFile(to, written(result, output, settings));
        await print(toldOf(to, location, result, json));
        return;
      }
      const data = json
        ? resultLine(location, result)
        : written(result, output, { ...settings, width: terminalWidth(stdout) });
      // rows are data: only a terminal gets them with control characters escaped
      await print(stdout.isTTY === true ? data : asData(data));
    };
    await archive.query(sql, answerTo, settings);
  });
}

async function* asData(
  chunks: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

function toldOf(to: string, archive: string, result: QueryResult, json: boolean): string {
  if (json) return jsonLine({ ...headOf(archive, result), to });
  return `${counted(result.rowCount, 'row')} in ${to}\n`;
}

/** @throws {UsageError} there is no SQL, or it is given twice */
async function sqlOf({ settings, terminal, positionals }: Query): Promise<string> {
  const { sqlFile } = settings;
  const { sql } = positionals;
  if (sqlFile === undefined) {
    if (sql !== undefined) return sql;
    throw new UsageError('no query is given; give SQL in quotes, --sql-file or --views');
  }
  if (sql !== undefined) throw new UsageError('the query is given twice, here and by --sql-file');
  return (await readGiven('--sql-file', sqlFile, terminal)).toString().replace(/^\uFEFF/, '');
}
