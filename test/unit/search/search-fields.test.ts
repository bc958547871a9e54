/** A hit says where it matched, and every place that searches says where it looked and where it did not. */
import { expect, it } from 'vitest';
import { tableNamed } from '../../../src/model/tables.js';
import { fieldsIn, notSearchedText } from '../../../src/search/searched-fields.js';
import {
  SEARCH_FIELDS,
  bitOfField,
  fieldsOf,
  matchedText,
  searchedText,
} from '../../../src/search/search-fields.js';

const NEVER =
  'what is in images and in linked files, titles of steps on the way to an answer, ids, data of other parts such as tasks';

it('the fields of a search have a bit each, in their order', () => {
  expect(SEARCH_FIELDS.map(bitOfField)).toEqual([1, 2, 4, 8, 16, 32]);
});

it('the fields of a search are read from bits, whichever of them are set', () => {
  for (let bits = 0; bits < 64; bits++) {
    const fields = fieldsOf(bits);
    expect(fields.reduce((sum, field) => sum + bitOfField(field), 0)).toBe(bits);
  }
  expect(fieldsOf(0b101101)).toEqual(['question', 'code', 'table', 'name']);
});

it('the fields of a search are named as places of a hit', () => {
  expect(matchedText(SEARCH_FIELDS)).toBe(
    'the question, the answer with its sources, cited passages and proposed questions, code, a table, the name of a table or image, the name of the conversation',
  );
  expect(matchedText(['name', 'code'])).toBe('the name of the conversation, code');
  expect(matchedText([])).toBe('');
});

it('the fields of a search are named as places of a search', () => {
  expect(searchedText(SEARCH_FIELDS)).toBe(
    'questions, answers with their sources, cited passages and proposed questions, code, the first rows of tables, names of tables and images, names of conversations',
  );
  expect(searchedText(['name'])).toBe('names of conversations');
});

it('the fields of a search that a search left out are named, and what none looks at', () => {
  expect(notSearchedText(SEARCH_FIELDS)).toBe(NEVER);
  expect(notSearchedText(['question', 'answer'])).toBe(
    `code, the first rows of tables, names of tables and images, names of conversations, ${NEVER}`,
  );
});

it('the fields of a search are those whose columns a pseudonymised copy keeps', () => {
  const classOf = (table: string, column: string) =>
    tableNamed(table)?.columns.find(({ name }) => name === column)?.copied;
  expect(fieldsIn(undefined)).toEqual(SEARCH_FIELDS);
  expect(fieldsIn({ texts: 'dropped', times: 'days' as const })).toEqual([]);
  expect(fieldsIn({ texts: 'kept', times: 'days' as const })).toEqual([
    'question',
    'answer',
    'code',
    'file',
  ]);
  expect(classOf('blocks', 'content_text')).toBe('text');
  expect(classOf('artifacts', 'name')).toBe('text');
  expect(classOf('artifacts', 'table_text')).toBe('drop');
  expect(classOf('sessions', 'name')).toBe('drop');
  expect(fieldsIn({ texts: 'kept', times: 'days' as const }, ['name', 'code'])).toEqual(['code']);
});
