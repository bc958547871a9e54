/** A hit says where it matched, and every place that searches says where it looked and where it did not. */
import { describe, expect, it } from 'vitest';
import {
  SEARCH_FIELDS,
  bitOfField,
  fieldsOf,
  matchedText,
  notSearchedText,
  searchedText,
} from '../../../src/search/search-choice.js';

const NEVER =
  'what is in tables and images, names of steps, ids, blocks of types that jobvault does not know';

describe('the fields of a search', () => {
  it('have a bit each, in their order', () => {
    expect(SEARCH_FIELDS.map(bitOfField)).toEqual([1, 2, 4, 8, 16]);
  });

  it('are read from bits, whichever of them are set', () => {
    for (let bits = 0; bits < 32; bits++) {
      const fields = fieldsOf(bits);
      expect(fields.reduce((sum, field) => sum + bitOfField(field), 0)).toBe(bits);
    }
    expect(fieldsOf(0b10101)).toEqual(['question', 'code', 'name']);
  });

  it('are named as places of a hit', () => {
    expect(matchedText(SEARCH_FIELDS)).toBe(
      'the question, the answer, code, the name of a table or image, the name of the session',
    );
    expect(matchedText(['name', 'code'])).toBe('the name of the session, code');
    expect(matchedText([])).toBe('');
  });

  it('are named as places of a search', () => {
    expect(searchedText(SEARCH_FIELDS)).toBe(
      'questions, answers with their sources, cited passages and proposed questions, code, names of tables and images, names of sessions',
    );
    expect(searchedText(['name'])).toBe('names of sessions');
  });

  it('that a search left out are named, and what none looks at', () => {
    expect(notSearchedText(SEARCH_FIELDS)).toBe(NEVER);
    expect(notSearchedText(['question', 'answer'])).toBe(
      `code, names of tables and images, names of sessions, ${NEVER}`,
    );
  });
});
