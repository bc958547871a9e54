import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { rawApi, scriptedApi, type ScriptedAnswer } from '../../support/http/scripted-api.js';
import {
  CANARY_KEY,
  failureOf,
  sessionId,
  testClient,
  userId,
} from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

const SIGNATURE = 'canary-signature-77aa';
const URL_IN_ANSWER = `https://files.example/a.csv?X-Amz-Signature=${SIGNATURE}&X-Amz-Expires=600`;
const LEAK = new RegExp(`canary|${CANARY_KEY}|${SIGNATURE}`);
/** A service that answers with everything that it must not be quoted on. */
const INDISCREET = `key ${CANARY_KEY}, file ${URL_IN_ANSWER}, ${URL_IN_ANSWER.replaceAll('/', '\\/')}`;
const HEADERS = { 'x-pd-trace-id': `trace ${CANARY_KEY}` };

const answers: readonly ScriptedAnswer[] = [
  ...[200, 400, 401, 403, 404, 429, 500, 503].flatMap((status) => [
    { status, headers: HEADERS, body: INDISCREET },
    { status, headers: { ...HEADERS, 'content-type': 'text/html' }, body: `<p>${INDISCREET}</p>` },
    { status, headers: HEADERS, body: { code: 0, data: { records: [INDISCREET] } } },
    { status, headers: HEADERS, body: `{"code":0,"data":{"records":["${URL_IN_ANSWER}` },
  ]),
  ...[201, 1002, 1003, 1004, 9999, 300001, 300002, 300003, 300009, 5].map((code) => ({
    headers: HEADERS,
    body: { code, message: INDISCREET },
  })),
  { status: 302, headers: { ...HEADERS, location: `/next?key=${CANARY_KEY}&s=${SIGNATURE}` } },
  { status: 302, headers: { ...HEADERS, location: `https://${CANARY_KEY}:x@files.example/` } },
  { headers: { ...HEADERS, 'content-encoding': 'gzip' }, body: INDISCREET },
  { headers: HEADERS, body: Buffer.from(`${INDISCREET}\xff`, 'latin1') },
];

it.each(answers.map((answer, index) => [index, answer] as const))(
  'neither errors nor logs repeat a key or a signature: answer %i',
  fault('F-38'),
  async (_index, answer) => {
    await using api = await scriptedApi(answer);
    await using client = testClient(api.url, { maxAttempts: 2, retryBudgetMs: 100 });
    const history = await client.getHistory({ userId, sessionId }).catch((error: unknown) => error);
    const creation = await failureOf(client.createSession({ userId, name: 'n' }));
    // of a page with an odd record, what is told of that record counts, too
    for (const told of [history, creation]) expect(everythingIn(told)).not.toMatch(LEAK);
    expect(everythingIn(client.logged)).not.toMatch(LEAK);
    expect(client.logged.length).toBeGreaterThan(0);
  },
);

it.each([
  `${INDISCREET}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\n${INDISCREET}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\nContent-Length: x${INDISCREET}\r\n\r\n`,
  `HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n${INDISCREET}`,
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${INDISCREET}`,
])(
  'what breaks the parser of HTTP does not bring out the bytes either: %#',
  fault('F-38'),
  async (bytes) => {
    await using api = await rawApi((socket) => socket.end(bytes));
    await using client = testClient(api.url, { maxAttempts: 2 });
    const failure = await failureOf(client.getHistory({ userId, sessionId }));
    expect(failure).toMatchObject({ failure: 'unreachable' });
    expect(everythingIn(failure)).not.toMatch(LEAK);
    expect(everythingIn(client.logged)).not.toMatch(LEAK);
  },
);

/** Message, stack, causes and every other property, hidden ones included. */
function everythingIn(value: unknown): string {
  const stack = value instanceof Error ? value.stack : '';
  const json = JSON.stringify(value);
  const shown = inspect(value, { depth: 20, showHidden: true, maxStringLength: null });
  return [shown, stack, json].join('\n');
}
