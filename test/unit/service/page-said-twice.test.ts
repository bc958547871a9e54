/** An answer in which two were joined: JSON.parse takes the last of two members of one name. */
import { expect, it } from 'vitest';
import { asUserId } from '../../../src/model/ids.js';
import { readPage } from '../../../src/service/page.js';
import { parseResponse } from '../../../src/service/parse-response.js';
import { fault } from '../../support/base/fault.js';

const facts = { operation: 'x', attempts: 1, externalTraceId: 't', redact: (text: string) => text };

it.each([
  ['records', '{"records":[{"id":"a"}],"total_items":1,"records":[]}'],
  ['total_items', '{"total_items":1,"records":[],"total_items":0}'],
  ['data', '{"records":[{"id":"a"}]},"data":{"records":[]}'],
  ['code', '{"records":[]},"code":0'],
])(
  'A page that says its %s twice is none, whatever it says the second time',
  fault('F-119'),
  (key, data) => {
    const served = { sentAtMonotonicMs: 0, dateMs: null };
    const text = `{"code":0,"data":${data}}`;
    const answer = { status: 200, header: () => null, text, served, answeredAtMonotonicMs: 0 };
    const success = parseResponse(answer, facts, { nowMs: 0, origin: 'http://host' });
    const read = () => readPage(success, { userId: asUserId('u') }, { idField: 'id' });
    expect(read).toThrow(`the page says its ${key} twice`);
  },
);
