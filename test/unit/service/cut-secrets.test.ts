/** What an answer says is redacted before it is cut: half of a key would pass as none. */
import { expect, it } from 'vitest';
import { staleBecause } from '../../../src/base/http/stale-answer.js';
import { parseResponse } from '../../../src/service/parse-response.js';
import { readPage, readSingle } from '../../../src/service/page.js';
import { asUserId } from '../../../src/model/ids.js';

const KEY = 'canary-key-'.repeat(9);
const redact = (text: string): string => text.replaceAll(KEY, '***');

function answered(data: string) {
  const served = { sentAtMonotonicMs: 0, dateMs: null };
  const text = `{"code":0,"data":${data}}`;
  const answer = { status: 200, header: () => null, text, served, answeredAtMonotonicMs: 0 };
  const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact };
  return parseResponse(answer, facts, { nowMs: 0, origin: 'http://host' });
}

const page = (data: string) =>
  readPage(answered(data), { userId: asUserId('u') }, { idField: 'id', sessionId: 's' });

it('a page number that holds the key is quoted without it', () => {
  const { fault } = page(`{"page_number":"${KEY}","records":[]}`);
  expect(fault).toBe('page 1 was requested, but the answer is page "***"');
});

it('an id that holds the key is quoted without it', () => {
  const read = page(`{"records":[{"id":"at the end ${KEY}","session_id":"t"}]}`);
  expect(read.unusable?.[0]?.reason).toBe('("at the end ***") is of another session');
});

it('an answer about another resource is quoted without the key', () => {
  expect(() => readSingle(answered(`{"id":"is it ${KEY}"}`), 'a')).toThrow(
    '"a" was requested, but the answer is about "is it ***"',
  );
});

it('a header that tells of a cache is quoted without the key', () => {
  const header = (name: string) => (name === 'warning' ? `110 - "stale for ${KEY}"` : null);
  expect(staleBecause(header, redact)).toBe('Warning: 110 - "stale for ***"');
});
