/** What came with status 200 and cannot be the file is asked for again, and then rejected; nothing of it is kept. */
import { describe, expect, it } from 'vitest';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { fileRequest, lost, stored, testFetcher } from '../../support/http/test-fetcher.js';
import { PICTURES } from '../../support/tables/tiny-image.js';
import { fault } from '../../support/base/fault.js';

describe.each<readonly [string, string, string | Buffer, string]>([
  ['a table', 'TABLE', '{"error":"expired"}', 'a JSON object with an error'],
  ['a table', 'TABLE', 'Request has expired', 'an error message from storage'],
  ['an image', 'IMAGE', '{"error":"expired"}', 'application/json where an IMAGE should be'],
  ['an image', 'IMAGE', '', 'an empty file where an IMAGE should be'],
])('where %s should be', (_, kind, body, why) => {
  it(`is rejected after two fresh URLs: ${why}`, fault('F-48'), async () => {
    await using host = await scriptedApi({ body });
    await using fetcher = testFetcher();
    const request = fileRequest(host.url, { kind });
    expect(lost(await fetcher.fetch(request))).toEqual({
      status: 'rejected',
      reason: `${host.host} sent ${why}, also from fresh URLs`,
    });
    expect(request.refreshes()).toBe(1);
    expect(host.seen).toHaveLength(2);
    expect(fetcher.storage.place.staged.size).toBe(0);
  });
});

it('is fetched from a fresh URL where that has the file', async () => {
  await using closed = await scriptedApi({ body: PICTURES['png']!.subarray(0, 40) });
  await using open = await scriptedApi({ body: PICTURES['png']! });
  await using fetcher = testFetcher();
  const request = fileRequest(closed.url, { kind: 'IMAGE', fresh: [open.url] });
  const file = stored(await fetcher.fetch(request));
  expect(file).toMatchObject({ mediaType: 'image/png', width: 4, height: 3, suspicious: null });
});

it('is stored with what is doubtful about it where it may be the file all the same', async () => {
  await using host = await scriptedApi({ body: '' });
  await using fetcher = testFetcher();
  const file = stored(await fetcher.fetch(fileRequest(host.url)));
  expect(file).toMatchObject({ bytes: 0, suspicious: 'an empty file' });
});

it('is kept where it is a picture that comes twice, whole, and lacks the end of its format', async () => {
  const cut = PICTURES['png']!.subarray(0, -12);
  const headers = { 'content-length': String(cut.length) };
  await using host = await scriptedApi({ headers, body: cut });
  await using fetcher = testFetcher();
  const request = fileRequest(host.url, { kind: 'IMAGE' });
  expect(stored(await fetcher.fetch(request))).toMatchObject({
    bytes: cut.length,
    mediaType: 'image/png',
    suspicious: 'image/png that is cut off',
  });
  expect([request.refreshes(), host.seen.length]).toEqual([1, 2]);
  expect(fetcher.storage.place.staged.size).toBe(1);
});

it('is rejected where it is a picture that is cut in another place each time', async () => {
  await using first = await scriptedApi({ body: PICTURES['png']!.subarray(0, -12) });
  await using second = await scriptedApi({ body: PICTURES['png']!.subarray(0, -13) });
  await using fetcher = testFetcher();
  const request = fileRequest(first.url, { kind: 'IMAGE', fresh: [second.url] });
  expect(lost(await fetcher.fetch(request)).reason).toMatch(/image\/png that is cut off/);
  expect(fetcher.storage.place.staged.size).toBe(0);
});

it('is the file that a data: URL contains', async () => {
  await using fetcher = testFetcher();
  const fetched = async (kind: string, url: string) => fetcher.fetch(fileRequest(url, { kind }));
  const png = `data:image/png;base64,${PICTURES['png']!.toString('base64')}`;
  expect(stored(await fetched('IMAGE', png))).toMatchObject({ width: 4, suspicious: null });
  expect(stored(await fetched('TABLE', 'data:text/csv,a;b%0A1;2'))).toMatchObject({
    separator: ';',
    rowCount: 1,
  });
  const table = 'data:text/csv;charset=windows-1252;base64,S/Zsbg==';
  expect(stored(await fetched('TABLE', table))).toMatchObject({ encoding: 'windows-1252' });
  expect(stored(await fetched('IMAGE', 'data:image/png;base64,BwcH'))).toMatchObject({
    suspicious: 'application/octet-stream where an IMAGE should be',
  });
  expect(lost(await fetched('IMAGE', 'data:image/png;base64,A'))).toEqual({
    status: 'rejected',
    reason: 'the data: URL cannot be decoded',
  });
});
