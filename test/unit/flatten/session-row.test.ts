import { describe, expect, it } from 'vitest';
import { sessionRow } from '../../../src/flatten/record-rows.js';
import { asRunId, asUserId } from '../../../src/model/ids.js';
import type { SessionRecord } from '../../../src/model/records.js';
import { sessionsTable } from '../../../src/model/tables.js';

function rowOf(text: string) {
  const value = JSON.parse(text) as SessionRecord;
  const context = {
    userId: asUserId('u'),
    sessionVersion: 2,
    jobCount: 3,
    isComplete: false,
    firstJobBefore: 7n,
    runId: asRunId('run'),
    exportedAt: 5n,
  };
  return sessionRow(context, { value, text });
}

describe('the row of a session', () => {
  it('has the settings, what is archived of it, and where it comes from', () => {
    const row = rowOf(
      '{"id":"s","name":"n","output_language":"ZH-TW","job_mode":"AUTO","max_contextual_job_history":10,"agent_id":"DATA_ANALYSIS_AGENT"}',
    );
    expect(row).toEqual({
      user_id: 'u',
      session_id: 's',
      session_version: 2,
      name: 'n',
      output_language: 'ZH-TW',
      job_mode: 'AUTO',
      max_contextual_job_history: 10,
      agent_id: 'DATA_ANALYSIS_AGENT',
      job_count: 3,
      is_complete: false,
      extra_json: null,
      created_at: null,
      created_at_source: null,
      created_after: null,
      created_before: 7n,
      run_id: 'run',
      exported_at: 5n,
    });
    expect(Object.keys(row)).toEqual(sessionsTable.columns.map(({ name }) => name));
  });

  it('takes a history of 76 jobs as it comes', () => {
    const row = rowOf('{"id":"s","max_contextual_job_history":76}');
    expect(row).toMatchObject({ max_contextual_job_history: 76, extra_json: null });
  });

  it.each(['2147483648', '-2147483649', '1.5', '12345678901234567891', '"10"', '[10]', 'true'])(
    'keeps a history of %s beside, since no int32 holds it',
    (history) => {
      expect(rowOf(`{"id":"s","max_contextual_job_history": ${history} }`)).toMatchObject({
        max_contextual_job_history: null,
        extra_json: `{"max_contextual_job_history":${history}}`,
      });
    },
  );

  it('keeps fields that it does not know, verbatim and in order', () => {
    const row = rowOf(
      '{"zeta":1.0, "id":"s", "alpha" : { "n" : 12345678901234567891 },"__proto__":[]}',
    );
    expect(row.extra_json).toBe(
      '{"zeta":1.0,"alpha":{ "n" : 12345678901234567891 },"__proto__":[]}',
    );
  });

  it('keeps what fits no column of its name', () => {
    expect(rowOf('{"id":"s","name":{"en":"n"},"job_mode":5}')).toMatchObject({
      name: null,
      job_mode: null,
      extra_json: '{"name":{"en":"n"},"job_mode":5}',
    });
  });

  it('null, empty and absent are three things', () => {
    const told = (text: string) => [rowOf(text).name, rowOf(text).extra_json];
    expect(told('{"id":"s","name":""}')).toEqual(['', null]);
    expect(told('{"id":"s","name":null}')).toEqual([null, '{"name":null}']);
    expect(told('{"id":"s"}')).toEqual([null, null]);
  });

  it('has the time of its creation if its id has one, and never guesses', () => {
    expect(rowOf('{"id":"0192f0a1-2b3c-7d4e-8f56-0123456789ab"}')).toMatchObject({
      created_at: BigInt(0x0192f0a12b3c) * 1000n,
      created_at_source: 'uuid7',
    });
    expect(rowOf('{"id":"0b6f2a52-5d0a-4c1e-9f3a-0123456789ab"}')).toMatchObject({
      created_at: null,
      created_at_source: null,
    });
  });
});
