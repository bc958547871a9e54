/** A redacted row tells nothing of its text: not how long it is, nor a hash that proves a guess of it. */
import { expect, it } from 'vitest';
import { keyedDigest } from '../../../../../src/archive/log/keyed-digest.js';
import type { RequestDecision } from '../../../../../src/archive/log/request-history.js';
import { Decisions } from '../../../../../src/archive/reading/requests/decisions.js';
import { asJobId, asSessionId } from '../../../../../src/model/ids.js';
import type { CellValue, Column, Row, TableSchema } from '../../../../../src/model/table-schema.js';
import { blocksTable, sessionsTable, TABLES } from '../../../../../src/model/tables.js';

const KEY = '00'.repeat(32);
const [SESSION, JOB] = [asSessionId('s-1'), asJobId('job-1')];
const CELLS = { string: 'falcon', int32: 4137, int64: 4137n, bool: true, ts: 4137n };
const GIVEN: Row = { user_id: 'ada', session_id: SESSION, job_id: JOB, type: 'MESSAGE' };
/** Beside the key and the ids: of no text. */
const OF_NO_TEXT =
  /^(created_.*|run_id|exported_at|job_index|is_settled|is_withdrawn|type|type_raw|stage)$/;

const rowOf = ({ columns }: TableSchema): Row =>
  Object.fromEntries(
    columns.map(({ name, type }): [string, CellValue] => [name, GIVEN[name] ?? CELLS[type]]),
  );
const isOfText = ({ name, isKey }: Column): boolean => !isKey && !OF_NO_TEXT.test(name);

function redacting(): Decisions {
  return Decisions.of({ decisions: [decisionOn(JOB, 'redact')] });
}

/** @param job null: the conversation as a whole */
function decisionOn(
  job: RequestDecision['job'],
  decision: RequestDecision['decision'],
): RequestDecision {
  return {
    action: 'decide',
    id: 'd-1',
    decision,
    session: SESSION,
    job,
    session_digest: keyedDigest(KEY, 'session', SESSION),
    job_digest: job === null ? null : keyedDigest(KEY, 'job', JOB),
    key: KEY,
    by: 'Dana',
    at: '2026-03-01T00:00:00Z',
    reason: 'third party',
  };
}

it.each([
  ['withhold', '[withheld]'],
  ['redact', '[redacted]'],
  ['include', 'falcon'],
] as const)(
  'a conversation of which one question is included is called by the decision on it: %s',
  (decision, name) => {
    const decisions = [decisionOn(null, decision), decisionOn(JOB, 'include')];
    const row = rowOf(sessionsTable);
    expect(Decisions.of({ decisions }).shown(sessionsTable, row)?.['name']).toBe(name);
  },
);

it.each(TABLES.filter(({ columns }) => columns.some(({ name }) => name === 'job_id')))(
  'a redacted row of $name has no cell that its text, answer or files have filled',
  (table) => {
    const row = rowOf(table);
    const shown = redacting().shown(table, row);
    const told = table.columns.filter(isOfText).map(({ name }) => shown?.[name] ?? null);
    expect(told).not.toContain(CELLS.string);
    expect(told).not.toContain(CELLS.int32);
    expect(told).not.toContain(CELLS.int64);
  },
);

it('a redacted row keeps its key, its times, and what makes a block a message', () => {
  for (const table of TABLES.filter(({ name }) => ['jobs', 'blocks', 'raw_jobs'].includes(name))) {
    const row = rowOf(table);
    const kept = table.columns.filter((column) => !isOfText(column)).map(({ name }) => name);
    const shown = redacting().shown(table, row);
    expect(kept.map((name) => shown?.[name])).toEqual(kept.map((name) => row[name]));
  }
});

it('of a redacted question no step of the analysis is shown, nor how many there were', () => {
  const message = { ...rowOf(blocksTable), type: 'MESSAGE', role: 'answer' };
  expect(redacting().shown(blocksTable, { ...message, stage: 'Respond' })).toBeDefined();
  expect(redacting().shown(blocksTable, { ...message, stage: 'Analyze' })).toBeUndefined();
});
