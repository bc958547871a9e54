/** What a page holds hashes alike on every Node.js, also where its keys must be escaped. */
import { expect, it } from 'vitest';
import { canonicalJson, type Json } from '../../../src/base/text/canonical-json.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { contentHash } from '../../../src/flatten/content-hash.js';
import { asUserId } from '../../../src/model/ids.js';
import type { JobRecord } from '../../../src/model/records.js';
import { parseResponse } from '../../../src/service/parse-response.js';
import { readPage } from '../../../src/service/page.js';
import { fault } from '../../support/base/fault.js';

const KEYS = ['\\', '"', '\n', '\b', '\u0001', 'a\\', 'a"', 'a', '\\"', '"n'];

it(
  '240 jobs with keys that JSON must escape have the hashes of what the service meant',
  fault('F-71'),
  () => {
    const jobs = Array.from({ length: 240 }, (_, index) => jobOf(index));
    const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact: String };
    // one by one, as a later run reads them, and all on a page: what V8 remembers differs
    const pages = [...jobs.map((job) => [job]), jobs].map((records) => {
      const text = JSON.stringify({ code: 0, data: { records } });
      const served = { sentAtMonotonicMs: 0, dateMs: null };
      const answer = { status: 200, header: () => null, text, served, answeredAtMonotonicMs: 0 };
      const success = parseResponse(answer, facts, { nowMs: 0, origin: 'http://host' });
      return readPage<JobRecord>(
        success,
        { userId: asUserId('u') },
        { idField: 'job_id' },
      ).records.map(contentHash);
    });
    const meant = jobs.map((job) => sha256Hex(canonicalJson(job)));
    expect(pages.slice(0, -1).flat()).toEqual(meant);
    expect(pages.at(-1)).toEqual(meant);
  },
);

function jobOf(index: number): { readonly [key: string]: Json } {
  const key = (shift: number): string => KEYS[(index + shift) % KEYS.length]!;
  const content = { [key(0)]: index, [key(3)]: { h: [], [key(1)]: 'x' }, [key(7)]: 1.5 };
  const blocks = [{ type: 'CHART_INFO', content }];
  return { job_id: `job-${index}`, question: { blocks: [] }, answer: { blocks } };
}
