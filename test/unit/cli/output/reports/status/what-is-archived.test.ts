/** The lines of a status that count. */
import { expect, it } from 'vitest';
import { conversationsText } from '../../../../../../src/cli/output/reports/status/what-is-archived.js';

const sessions = {
  total: 1,
  complete: 1,
  incomplete: 0,
  gone: 0,
  deleted: 0,
  without_questions: 0,
};

it.each([
  [false, 'of 8, 7 were certainly erased'],
  [true, 'of at least 8, at least 7 were erased'],
])('what was erased is certain, unless a copy (%s) lacks the receipts', (isCopy, text) => {
  const told = conversationsText({ sessions, erased: 7 }, { deletes: false, isCopy });
  expect(told).toBe(`1: 1 complete, 0 incomplete; ${text}`);
});
