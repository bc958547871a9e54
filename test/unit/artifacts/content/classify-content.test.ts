/** What bytes that arrived with status 200 are taken for: the file, doubtful, or not the file. */
import { describe, expect, it } from 'vitest';
import { BodyInspector } from '../../../../src/artifacts/content/inspect-body.js';
import { PICTURES } from '../../../support/tables/tiny-image.js';
import { fault } from '../../../support/base/fault.js';

/** Given in two chunks: nothing may hang on where they end. */
async function judged(body: string | Uint8Array, kind = 'TABLE', named?: string): Promise<string> {
  const bytes = Buffer.from(body as string);
  const inspector = new BodyInspector(kind, named);
  inspector.write(bytes.subarray(0, 5));
  inspector.write(bytes.subarray(5));
  const { refused, suspicious } = (await inspector.end()).verdict;
  if (refused !== null) return `refused: ${refused}`;
  return suspicious === null ? 'fine' : `suspicious: ${suspicious}`;
}

const JSON_ERROR = 'a JSON object with an error';
const STORAGE_ERROR = 'an error message from storage';

it.each([
  'a,b\n1,2\n',
  'region\nnorth\nsouth\n',
  'region;sales',
  'BMI,age\n21,40\n',
  'Forbidden,Count\n3,4\n',
  'Access denied,3\nNot found,4\n',
  'error_code,count\n404,3\n',
  '{a},b\n1,2\n',
  'note\n"Request has expired"\n',
  'x'.repeat(201),
])('a TABLE is fine: %j', async (body) => {
  expect(await judged(body)).toBe('fine');
});

it.each([
  '{"error":"expired"}',
  '{"errors":[{"detail":"no"}]}',
  '{"error_code":"InvalidToken","error_msg":"no"}',
  '{"code":"AccessDenied","message":"Request has expired","request_id":"1"}',
  '{"message":"not ready"}',
  ' {"Message":"Forbidden","Status":403}\n',
  '{"type":"about:blank","title":"Forbidden","status":403,"detail":"no"}',
  String.raw`{"error":{"\"":1}}`,
])('a TABLE is refused as a JSON error: %s', fault('F-48'), async (body) => {
  expect(await judged(body)).toBe(`refused: ${JSON_ERROR}`);
});

it.each([
  'Request has expired',
  'Access Denied',
  'AccessDenied: Request has expired\n',
  'SignatureDoesNotMatch',
  'AuthenticationFailed',
  'Server failed to authenticate the request. Make sure the value of Authorization is right.',
  'The specified key does not exist.',
  'The specified blob does not exist.',
  'Anonymous caller does not have storage.objects.get access to the Google Cloud Storage object.',
  'ExpiredToken',
  'URL signature mismatch',
  '403 Forbidden',
  'HTTP/1.1 404 Not Found',
  '404 page not found',
  'upstream connect error or disconnect/reset before headers',
  'no healthy upstream',
  'error code: 1020',
  'Error: it did not work',
  'Code: NoSuchKey',
  'Link expired, ask for a new one',
  'Internal Server Error\n\n',
])('a TABLE is refused as a plain refusal: %s', fault('F-48'), async (body) => {
  expect(await judged(body)).toBe(`refused: ${STORAGE_ERROR}`);
  expect(await judged(Buffer.from(`\ufeff${body}`, 'utf16le'))).toBe(`refused: ${STORAGE_ERROR}`);
});

it.each([
  ['<!doctype html><p>Sign in', 'text/html'],
  ['<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', 'application/xml'],
])('a TABLE is refused as a document: %s', fault('F-25'), async (body, type) => {
  expect(await judged(body)).toBe(`refused: ${type} where a TABLE should be`);
});

it.each<readonly [string | Buffer, string]>([
  ['', 'an empty file'],
  ['pending', 'one short line without a delimiter'],
  ['region\n', 'one short line without a delimiter'],
  ['x'.repeat(200), 'one short line without a delimiter'],
  ['\n\n \n', 'one short line without a delimiter'],
  ['{"a":[1,2]}', 'JSON where CSV is expected'],
  ['[{"a":1},{"a":2}]', 'JSON where CSV is expected'],
  ['[1,2]', 'JSON where CSV is expected'],
  [`[{"a":"${'x'.repeat(600_000)}"}]`, 'JSON where CSV is expected'],
  [`{"a":"${'x'.repeat(600_000)}"}`, 'JSON where CSV is expected'],
  ['a,b\n"never closed,1\n2,3\n', 'a table that cannot be read as CSV to its end'],
  ['Access Denied\nRequestId: 1\nHostId: 2\n', STORAGE_ERROR],
  ['%PDF-1.4\n%%EOF', 'application/pdf where CSV is expected'],
  [PICTURES['gif']!, 'image/gif where CSV is expected'],
  [PICTURES['png']!.subarray(0, -1), 'image/png that is cut off'],
  [Buffer.from([1, 2, 3, 0, 0, 250, 7]), 'application/octet-stream where CSV is expected'],
])('a TABLE is stored and marked: %j', fault('F-48'), async (body, why) => {
  expect(await judged(body)).toBe(`suspicious: ${why}`);
});

it.each(Object.entries(PICTURES))(
  'an IMAGE is fine as %s, and refused when it is cut',
  fault('F-48'),
  async (_, bytes) => {
    expect(await judged(bytes, 'IMAGE')).toBe('fine');
    expect(await judged(bytes.subarray(0, -1), 'IMAGE')).toMatch(
      /^refused: image\/\w+ that is cut off$/,
    );
  },
);

it.each([
  ['<svg width="4" height="3"></svg>'],
  ['<svg width="100%"/>'],
  [`<?xml version="1.0"?><svg>${'<g></g>'.repeat(100_000)}</svg>\n<!-- end -->\n`],
])('an IMAGE is fine as an SVG, with a size or without', async (body) => {
  expect(await judged(body, 'IMAGE')).toBe('fine');
});

it.each<readonly [string | Buffer, string]>([
  ['', 'an empty file where an IMAGE should be'],
  ['{"error":"expired"}', 'application/json where an IMAGE should be'],
  ['{"a":1}', 'application/json where an IMAGE should be'],
  ['Request has expired', 'text/plain where an IMAGE should be'],
  ['a,b\n1,2\n', 'text/plain where an IMAGE should be'],
  ['%PDF-1.4\n%%EOF', 'application/pdf where an IMAGE should be'],
  ['<html><body>Sign in</body></html>', 'text/html where an IMAGE should be'],
  ['<svg width="4" height="3"><g>', 'image/svg+xml that is cut off'],
  [`<svg>${'<g></g>'.repeat(100_000)}`, 'image/svg+xml that is cut off'],
  [Buffer.from([1, 2, 3, 0, 0, 250, 7]), 'application/octet-stream where an IMAGE should be'],
  [PICTURES['png']!.subarray(0, 12), 'application/octet-stream where an IMAGE should be'],
  [PICTURES['png']!.subarray(0, 20), 'image/png that is cut off'],
  [withoutSize(PICTURES['png']!), 'image/png without a size'],
])('an IMAGE is refused: %j', fault('F-48'), async (body, why) => {
  expect(await judged(body, 'IMAGE')).toBe(`refused: ${why}`);
});

it.each(['{"series":[1]}', 'hello', 'a,b\n1,2\n', '<!doctype html><p>chart', '%PDF-1.4\n'])(
  'a file of any other kind is fine: %s',
  async (body) => {
    expect(await judged(body, 'CHART_INFO', 'html')).toBe('fine');
  },
);

it.each<readonly [string | Buffer, string]>([
  ['', 'an empty file'],
  ['{"error":"expired"}', JSON_ERROR],
  ['Access Denied', STORAGE_ERROR],
  [PICTURES['jpeg']!.subarray(0, -1), 'image/jpeg that is cut off'],
])('a file of any other kind is stored and marked: %j', async (body, why) => {
  expect(await judged(body, 'CHART_INFO')).toBe(`suspicious: ${why}`);
});

it('a file of any other kind is refused if it is an XML error document from object storage', async () => {
  const xml = '<Error><Code>AccessDenied</Code></Error>';
  expect(await judged(xml, 'ATTACHMENT')).toBe(
    'refused: application/xml where an ATTACHMENT should be',
  );
});

/** A PNG's width is in its bytes 16 to 19. */
function withoutSize(png: Buffer): Buffer {
  return Buffer.from(png).fill(0, 16, 20);
}

describe('a web page, which may be one to sign in at,', () => {
  const PAGE = '<!DOCTYPE html><html><title>Sign in</title><form action="/login"></form></html>';

  it.each([
    ['MARKDOWN_IMAGE', 'png', 'refused: text/html where an image should be'],
    ['MARKDOWN_IMAGE', undefined, 'refused: text/html where an image should be'],
    ['PRESIGNED_LINK', 'csv', 'refused: text/html where a file named .csv should be'],
    ['CHART_INFO', 'json', 'refused: text/html where a file named .json should be'],
    ['PRESIGNED_LINK', undefined, 'suspicious: a web page, possibly a login page'],
    ['PRESIGNED_LINK', 'html', 'fine'],
  ])('in the place of a %s named .%s is %s', async (kind, named, verdict) => {
    expect(await judged(PAGE, kind, named)).toBe(verdict);
  });
});
