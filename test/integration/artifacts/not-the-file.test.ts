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
  ['an image', 'IMAGE', PICTURES['png']!.subarray(0, -12), 'image/png that is cut off'],
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
