import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../src/base/text/parse-json.js';
import { contentHash } from '../../src/flatten/content-hash.js';
import { anyCharacter } from '../support/base/any-character.js';
import { flattened, recordOf } from '../support/tables/flattened-job.js';

const TYPES = ['MESSAGE', 'CODE', 'TABLE', 'IMAGE', 'SOURCE', 'SOURCES', 'QUESTIONS', 'TASK'];
const anything = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown>;
const text = fc.string({ unit: anyCharacter, maxLength: 8 });
const file = fc.record(
  { name: anything, url: fc.oneof(text, anything), expires_at: anything },
  { requiredKeys: [] },
);
const block = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record(
      {
        type: fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...TYPES) }, anything),
        content: fc.oneof(text, file, anything, fc.array(fc.oneof(text, file, anything))),
        stage: fc.oneof(fc.constantFrom('Analyze', 'Respond'), anything),
        group_id: fc.oneof(fc.constantFrom('', '-1', -1, 'g', 'h'), anything),
        group_name: fc.oneof(text, anything),
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: anything },
);
const side = fc.oneof(
  { weight: 8, arbitrary: fc.record({ blocks: fc.array(block, { maxLength: 5 }) }) },
  { weight: 1, arbitrary: anything },
);
const job = fc
  .tuple(
    fc.record({ question: side, answer: side }, { requiredKeys: [] }),
    fc.constantFrom(undefined, 1, '\t'),
  )
  .map(([sides, indent]) => JSON.stringify({ ...sides, job_id: 'j' }, null, indent));

it('whatever a record holds becomes rows of the right types, with unique keys', () => {
  fc.assert(
    fc.property(job, (json) => {
      for (const { table, rows } of flattened(recordOf(json)).tables) {
        const keys = table.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
        const seen = rows.map((row) => JSON.stringify(keys.map((key) => row[key])));
        expect(new Set(seen).size).toBe(rows.length);
        for (const row of rows) {
          for (const { name, type, isKey } of table.columns) {
            const cell = row[name] ?? null;
            if (cell === null) expect(isKey).toBe(false);
            else expect([name, typeof cell]).toEqual([name, TYPE_OF[type]]);
            if (type === 'int32' && cell !== null) expect(cell).toBe(Number(cell) | 0);
          }
        }
      }
    }),
    { numRuns: 300 },
  );
});

it('nothing that was sent is lost: the record and every content parse to what they were', () => {
  fc.assert(
    fc.property(job, (json) => {
      const { tables } = flattened(recordOf(json));
      const rows = Object.fromEntries(tables.map((one) => [one.table.name, one.rows]));
      expect(rows['raw_jobs']![0]!['record']).toBe(json);
      const value = parseJson(json) as Record<string, { blocks?: unknown } | null>;
      for (const row of rows['blocks'] ?? []) {
        const blocks = value[row['role'] as string]!.blocks as unknown[];
        const sent = blocks[row['block_index'] as number];
        const isObject = typeof sent === 'object' && sent !== null && !Array.isArray(sent);
        const content = isObject ? (sent as { content?: unknown }).content : sent;
        const { content_text: told, content_json: own } = row;
        if (own !== null) expect(parseJson(own as string)).toEqual(content);
        else if (told !== null) expect(told).toBe((content as string).toWellFormed());
        else expect(content).toBeUndefined();
      }
    }),
    { numRuns: 300 },
  );
});

it('the same record gives the same rows', () => {
  fc.assert(
    fc.property(job, (json) => {
      expect(flattened(recordOf(json))).toEqual(flattened(recordOf(json)));
    }),
    { numRuns: 50 },
  );
});

it('two records have one hash when, and only when, they hold the same', () => {
  const holding = anything.map((held) => JSON.stringify({ job_id: 'j', held }));
  fc.assert(
    fc.property(holding, holding, fc.constantFrom(0, 2), (one, other, indent) => {
      const laidOut = JSON.stringify(parseJson(one), null, indent);
      expect(hashOf(laidOut)).toBe(hashOf(one));
      expect(hashOf(other) === hashOf(one)).toBe(sorted(other) === sorted(one));
    }),
    { numRuns: 500 },
  );
});

it('any change of any digit of any number changes the hash', () => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(digits, fc.nat(), fc.integer({ min: 1, max: 9 }), (all, where, by) => {
      const at = where % all.length;
      const changed = all.with(at, (all[at]! + by) % 10);
      const numberOf = (list: readonly number[]) => `{"job_id":"j","n":[1.0, 1${list.join('')}]}`;
      expect(hashOf(numberOf(changed))).not.toBe(hashOf(numberOf(all)));
      expect(hashOf(numberOf(all).replace(' ', '\n'))).toBe(hashOf(numberOf(all)));
    }),
  );
});

it('no signature changes the hash, whatever URL it stands on', () => {
  const path = fc
    .string({ unit: 'grapheme-ascii', maxLength: 12 })
    .map((raw) => raw.replace(/[?#]/g, ''));
  const signature = fc.stringMatching(/^[0-9a-f]{1,64}$/);
  const place = fc.constantFrom('url', 'content');
  fc.assert(
    fc.property(path, signature, signature, place, (where, one, other, key) => {
      const jobOf = (sign: string, until: string) => {
        const url = `https://h/${where}?X-Amz-Signature=${sign}&v=1`;
        const content = key === 'url' ? { url, expires_at: until } : url;
        return JSON.stringify({ job_id: 'j', answer: { blocks: [{ type: 'TABLE', content }] } });
      };
      expect(hashOf(jobOf(one, 'now'))).toBe(hashOf(jobOf(other, 'then')));
    }),
    { numRuns: 300 },
  );
});

const TYPE_OF = {
  string: 'string',
  int32: 'number',
  int64: 'bigint',
  bool: 'boolean',
  ts: 'bigint',
};

function hashOf(json: string): string {
  return contentHash(recordOf(json));
}

/** Equal for equal values, keys in whatever order. */
function sorted(json: string): string {
  return JSON.stringify(parseJson(json), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
