import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson } from '../../src/base/text/parse-json.js';
import { MalformedResponseError } from '../../src/service/service-errors.js';
import { parseResponse } from '../../src/service/parse-response.js';
import { readPage } from '../../src/service/page.js';
import type { Page } from '../../src/service/service-client.js';
import { asUserId } from '../../src/model/ids.js';
import type { JobRecord } from '../../src/model/records.js';
import { anyCharacter } from '../support/base/any-character.js';
import { fault } from '../support/base/fault.js';

const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact: (text: string) => text };

function read(text: string): Page<JobRecord> {
  const served = { sentAtMonotonicMs: 0, dateMs: null };
  const answer = { status: 200, header: () => null, text, served, answeredAtMonotonicMs: 0 };
  const success = parseResponse(answer, facts, { nowMs: 0, origin: 'http://host' });
  return readPage<JobRecord>(success, { userId: asUserId('u') }, { idField: 'job_id' });
}

const record = fc
  .tuple(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.string({ minLength: 1, unit: anyCharacter }),
  )
  .map(([fields, id]) => ({ ...fields, job_id: id }));

it('every record keeps its own text, whatever is in it and however it is laid out', () => {
  fc.assert(
    fc.property(fc.array(record), fc.constantFrom(undefined, 1, '\t'), (records, indent) => {
      const text = JSON.stringify({ data: { records }, code: 0 }, null, indent);
      const page = read(text);
      expect(page.records.map(({ value }) => value)).toEqual(
        (parseJson(text) as { data: { records: unknown } }).data.records,
      );
      for (const { value, text: own } of page.records) {
        expect(parseJson(own)).toEqual(value);
        expect(text).toContain(own);
      }
    }),
  );
});

it('an answer that is cut anywhere is malformed, never a shorter page', fault('F-1'), () => {
  fc.assert(
    fc.property(fc.array(record), fc.double({ min: 0, max: 1, noNaN: true }), (records, where) => {
      const text = JSON.stringify({ code: 0, data: { records } });
      const cut = text.slice(0, Math.floor(where * (text.length - 1)));
      expect(() => read(cut)).toThrow(MalformedResponseError);
    }),
  );
});
