/** That a search of up to 60 words, unwanted ones and alternatives finds what a plain matcher finds. */
import fc from 'fast-check';
import type { DuckDBConnection } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FOLDING, foldText } from '../../src/base/text/fold-text.js';
import { parseWords } from '../../src/search/parse-words.js';
import { SEARCH_FIELDS } from '../../src/search/search-fields.js';
import { searchSql } from '../../src/search/search-sql.js';
import { fault } from '../support/base/fault.js';
import { openSearchTables } from '../support/tables/search-tables.js';

const JOBS = 12;
/** More words than a search may have, and none the beginning of another. */
const WORDS = Array.from({ length: 64 }, (_, index) => `w${String(index).padStart(2, '0')}x`);
const word = fc.constantFrom(...WORDS);
const said = fc.array(fc.array(word, { maxLength: 30 }), { minLength: JOBS, maxLength: JOBS });

/** A word to be found, or one of several; or one that must not be there. */
type Part =
  | { readonly kind: 'wanted'; readonly words: string[] }
  | { readonly kind: 'unwanted'; readonly word: string };
const part = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('wanted' as const),
      words: fc.array(word, { minLength: 1, maxLength: 60 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unwanted' as const), word }) },
);
const question = fc
  .array(part, { minLength: 1, maxLength: 60 })
  .filter((parts) => termsIn(parts) <= 60);

let connection: DuckDBConnection;

beforeAll(async () => {
  connection = await openSearchTables();
});
afterAll(() => connection.closeSync());

it(
  'a search of one to 60 words, wanted and unwanted, finds what a plain matcher finds',
  { ...fault('F-86'), timeout: 120_000 },
  async () => {
    const all = (words: readonly string[]): Part[] =>
      words.map((one) => ({ kind: 'wanted', words: [one] }));
    const none: Part[] = WORDS.slice(0, 60).map((one) => ({ kind: 'unwanted', word: one }));
    const each = (from: number): string[][] =>
      Array.from({ length: JOBS }, (_, index) => [WORDS[from + index] ?? '']);
    await fc.assert(
      fc.asyncProperty(question, said, async (parts, texts) => {
        const found = await search(sourceOf(parts), texts);
        const expected = texts.flatMap((words, job) => (matches(parts, words) ? [job] : []));
        expect({ parts, texts, found }).toEqual({ parts, texts, found: expected });
      }),
      {
        numRuns: 16,
        endOnFailure: true,
        examples: [
          // beyond 53 words a bit is not exact as a number of JavaScript
          [none, each(48)],
          [[{ kind: 'wanted', words: WORDS.slice(0, 54) }], each(44)],
          [[{ kind: 'wanted', words: WORDS.slice(0, 60) }], each(0)],
          [
            [...all(WORDS.slice(0, 30)), ...none.slice(30)],
            [WORDS.slice(0, 30), ...each(20).slice(1)],
          ],
        ],
      },
    );
  },
);

async function search(source: string, texts: readonly (readonly string[])[]): Promise<number[]> {
  await connection.run('DELETE FROM jobs; DELETE FROM blocks');
  const rows = texts.map(
    (words, job) => [job, `('ada', 's', '${job}', 2`, words.join(' ')] as const,
  );
  await connection.run(`
    INSERT INTO jobs VALUES ${rows.map(([, key]) => `${key}, NULL, NULL, NULL, NULL)`).join(', ')};
    INSERT INTO blocks VALUES ${rows.map(([, key, text]) => `${key}, 'question', 'TEXT', 0, '${text}', NULL, '${foldText(text)}', ${FOLDING})`).join(', ')}`);
  const sql = searchSql({
    words: parseWords(source),
    fields: SEARCH_FIELDS,
    users: [],
    sessions: [],
    from: undefined,
    to: undefined,
    bounded: [],
    undated: undefined,
    limit: undefined,
    withTexts: false,
    readsColumns: true,
  });
  const result = await connection.runAndReadAll(sql);
  return result
    .getRowObjects()
    .flatMap((row) => (row['job_id'] === null ? [] : [Number(row['job_id'])]))
    .sort((a, b) => a - b);
}

/** As somebody types it. */
function sourceOf(parts: readonly Part[]): string {
  return parts
    .map((one) => (one.kind === 'unwanted' ? `-${one.word}` : one.words.join(' OR ')))
    .join(' ');
}

function matches(parts: readonly Part[], words: readonly string[]): boolean {
  return parts.every((one) =>
    one.kind === 'unwanted'
      ? !words.includes(one.word)
      : one.words.some((wanted) => words.includes(wanted)),
  );
}

function termsIn(parts: readonly Part[]): number {
  return parts.reduce((sum, one) => sum + (one.kind === 'unwanted' ? 1 : one.words.length), 0);
}
