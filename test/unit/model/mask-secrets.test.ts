import { describe, expect, it } from 'vitest';
import {
  maskedJson,
  maskedValue,
  presentableRow,
  shownJson,
} from '../../../src/model/mask-secrets.js';
import { archivableRows } from '../../../src/flatten/archivable-rows.js';
import { withoutSecrets } from '../../../src/model/urls/url-secrets.js';
import { seededRandom } from '../../support/store/archive-samples.js';
import { defineTable, type Row, type TableSchema } from '../../../src/model/table-schema.js';
import { TABLES } from '../../../src/model/tables.js';

const JSON_TEXT = { type: 'string', copied: 'drop', meaning: '', isJson: true } as const;
const SIGNED = 'https://h/a?sig=canary&v=1';
const BARE = 'https://h/a?v=1';

const archivableRow = (table: TableSchema, row: Row, files?: ReadonlySet<string>): Row =>
  [...archivableRows(table, [row], files).rows][0]!;

it('JSON whose strings are masked is the same text but for the signatures', () => {
  const json = (url: string) => `{ "n" : 1.0, "${url}":["x\\u00e9","${url}", "y"] , "z":"" }`;
  expect(maskedJson(json(SIGNED))).toBe(json(BARE));
});

it('JSON whose strings are masked is read string by string: an escape may hide a URL’s end', () => {
  expect(maskedJson(`{"a":"${SIGNED}\\n(b)\\"c"}`)).toBe(`{"a":"${BARE}\\n(b)\\"c"}`);
  expect(maskedJson('"https://h/a?\\u0073ig=canary"')).toBe('"https://h/a"');
  expect(maskedJson('["https://h/a?\\u0073ig=canary"]')).toBe('["https://h/a"]');
});

it.each(['', '1', '[]', '{"a":"b"}'])(
  'JSON whose strings are masked stays as it is without one: %s',
  (json) => {
    expect(maskedJson(json)).toBe(json);
  },
);

it('JSON whose strings are masked is masked as a text where it is no JSON', () => {
  expect(maskedJson(`say "hello to ${SIGNED} now`)).toBe(`say "hello to ${BARE} now`);
});

const FRAGMENTS = [
  `see ${SIGNED} there`,
  '![what it\nshows](https://h/i?v=canary)',
  `![${'a long description\n'.repeat(25)}](https://h/i?v=canary)`,
  `![${'too long a description\n'.repeat(30)}](https://h/i?v=1)`,
  '<img src="https://h/i?v=canary">',
  'https://ann:canary@h/a',
  'C:\\new\\\n"quoted"\t',
  '売上',
  'a line of words',
  '\n\n',
];
/** @param most characters of each text between two of the others */
const longText = (seed: number, most: number) => {
  const random = seededRandom(seed);
  const some = (): string => FRAGMENTS[Math.floor(random.fraction() * FRAGMENTS.length)] ?? '';
  const pieces: string[] = [];
  for (let length = 0; length < 2_300_000;) {
    const piece = `${some()}\n${'words and more '.repeat(Math.floor((random.fraction() * most) / 15))}`;
    pieces.push(piece);
    length += piece.length;
  }
  return pieces.join('');
};

it.each([
  [1, 300],
  [2, 2000],
  [3, 20_000],
])(
  'a long JSON string is masked in pieces as it is whole: seed %d, %d characters between',
  (seed, most) => {
    const text = longText(seed, most);
    const json = JSON.stringify({ a: text, b: SIGNED });
    const masked = maskedJson(json);
    expect(masked).not.toContain('canary');
    expect(JSON.parse(masked)).toEqual({ a: withoutSecrets(text), b: BARE });
  },
);

it('a long JSON string stays as it is without a secret; an escape has it read whole', () => {
  const plain = JSON.stringify(['a line of "words"\n'.repeat(200_000)]);
  expect(maskedJson(plain)).toBe(plain);
  const escaped = plain.replace(/words(?=[^w]*$)/, 'https://h/a?\\u0073ig=canary');
  expect(maskedJson(escaped)).not.toContain('canary');
});

it('a string of JSON as long as a record is no URL as a whole because a line of it is one', () => {
  const lines = `${'words\n'.repeat(300_000)}${BARE}\n`;
  expect(shownJson(JSON.stringify({ url: lines }))).toBe(JSON.stringify({ url: lines }));
  const alone = `${'\n'.repeat(1_200_000)}https://h/a?v=canary\n`;
  expect(shownJson(JSON.stringify({ url: alone }))).not.toContain('canary');
});

it.each([
  ['{"url":"https://h/a?v=canary"}', '{"url":"https://h/a?v=***"}'],
  ['{"src":"https://h/a?v=canary"}', '{"src":"https://h/a?v=***"}'],
  ['{"fileUrl":"https://h/a?v=canary"}', '{"fileUrl":"https://h/a?v=***"}'],
  ['{"image_url" : "https://h/a?v=canary#canary"}', '{"image_url" : "https://h/a?v=***#***"}'],
  ['{"url":"see https://h/a?v=1","page":"https://h/?v=1"}', undefined],
  ['{"url":["https://h/?v=1"]}', undefined],
])('JSON that is printed has no value in the URL of a file: %s', (json, shown = json) => {
  expect(shownJson(json)).toBe(shown);
});

it('a value from JSON has no signature in any string and any key', () => {
  expect(maskedValue(SIGNED)).toBe(BARE);
  expect(maskedValue({ [SIGNED]: [{ b: SIGNED }, null, 1, true] })).toEqual({
    [BARE]: [{ b: BARE }, null, 1, true],
  });
  expect([null, 1, true, undefined].map(maskedValue)).toEqual([null, 1, true, undefined]);
});

describe('a row', () => {
  const table = defineTable('things', {
    key: { id: 'string' },
    rest: {
      text: 'string',
      keywords: JSON_TEXT,
      record: { ...JSON_TEXT, isVerbatim: true },
      content_json: { ...JSON_TEXT, isVerbatim: true },
      n: 'int32',
    },
  });
  const row = (url: string, verbatim: string) => ({
    id: SIGNED,
    text: `at "${url}" or`,
    keywords: url === SIGNED ? '["https://h/a?\\u0073ig=canary"]' : '["https://h/a"]',
    record: `{"a":"${verbatim}"}`,
    content_json: `{"a":"${verbatim}"}`,
    n: 1,
  });

  it('of the archive has signatures in its keys and in what the service sent alone', () => {
    expect(archivableRow(table, row(SIGNED, SIGNED))).toEqual(row(BARE, SIGNED));
  });

  it('that people are shown has none in its verbatim columns: the others were masked before', () => {
    const shown = 'https://h/a?v=***'; // in a block, a URL as a whole leads to a file
    const plain = row(BARE, SIGNED);
    expect(presentableRow(table, plain)).toEqual({
      ...plain,
      content_json: `{"a":"${shown}"}`,
      record: `{"a":"${shown}"}`,
    });
  });

  it('of the archive has no values in the URLs of files', () => {
    const whole = { ...row(BARE, SIGNED), keywords: '["https://h/a?v=2"]' };
    const masked = archivableRow(table, whole, new Set(['https://h/a']));
    expect(masked['text']).toBe('at "https://h/a?v=***" or');
    expect(masked['keywords']).toBe('["https://h/a?v=***"]');
  });

  it('of the archive is left alone in a column that was masked where it was made', () => {
    const made = defineTable('some', {
      key: {},
      rest: { text: { type: 'string', copied: 'text', meaning: '', isMasked: true } },
    });
    expect(archivableRow(made, { text: SIGNED })).toEqual({ text: SIGNED });
  });

  it.each(['extra_json', 'keywords', 'exploration_questions'])(
    'is masked string by string in %s: an escape may hide a signature',
    (name) => {
      const table = TABLES.find(({ columns }) => columns.some((column) => column.name === name))!;
      const escaped = { [name]: '["https://h/a?\\u0073ig=canary"]' };
      expect(archivableRow(table, escaped)).toEqual({ [name]: '["https://h/a"]' });
    },
  );

  describe('of a block that people are shown', () => {
    const blocks = defineTable('some', {
      key: { id: 'string' },
      rest: { type: 'string', content_json: { ...JSON_TEXT, isVerbatim: true }, text: 'string' },
    });
    const shown = (type: string, text: string) =>
      presentableRow(blocks, { id: 'a', type, content_json: JSON.stringify([text]), text });

    it.each(['SOURCES', 'QUESTIONS'])('has the URLs of pages as they are: %s', (type) => {
      const content_json = JSON.stringify([BARE]);
      expect(shown(type, SIGNED)).toEqual({ id: 'a', type, content_json, text: SIGNED });
    });

    it.each([
      ['http://h/a?v=canary', 'http://h/a?v=***'],
      [' https://h/a?v=canary', ' https://h/a?v=***'],
      ['see https://h/a?v=1 there', 'see https://h/a?v=1 there'],
      ['https://h/a?v=1 there', 'https://h/a?v=1 there'],
    ])('has no value in what is a URL as a whole: %j', (text, masked) => {
      const content_json = JSON.stringify([masked]);
      expect(shown('TABLE', text)).toEqual({ id: 'a', type: 'TABLE', content_json, text });
    });
  });

  it('without any is the very same', () => {
    const plain = row(BARE, BARE);
    expect(archivableRow(table, plain)).toBe(plain);
  });
});
