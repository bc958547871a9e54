/** A store that takes no checksums with uploads, as several that are not AWS: what is said, and by whom. */
import { afterEach, expect, it, vi } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { scriptedApi } from '../../support/http/scripted-api.js';
import { STORAGE_FIXES } from '../../../src/storage/storage-fixes.js';

const WORDS = "Unsupported header 'x-amz-sdk-checksum-algorithm' received for this API call.";

afterEach(() => void vi.unstubAllEnvs());

it.each([
  [400, 'InvalidRequest', WORDS],
  [501, 'NotImplemented', 'A header you provided implies functionality that is not implemented'],
])(
  'a store that refuses checksums with %d is told in its own words, with what to set',
  async (status, code, words) => {
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${words}</Message></Error>`;
    const headers = { 'content-type': 'application/xml' };
    await using store = await scriptedApi(({ method }) =>
      method === 'PUT'
        ? { status, headers, body }
        : { status: 404, headers, body: '<Error><Code>NoSuchKey</Code></Error>' },
    );
    const place = [
      '--out',
      's3://bucket/archive',
      '--s3-endpoint',
      store.url,
      '--s3-force-path-style',
    ];
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    const end = await cli(['doctor', ...place]);
    expect(end.stdout).toContain(words.slice(0, 60));
    expect(end.stdout).toContain('--s3-checksum none');
    expect(end.stdout).not.toMatch(/jobvault doctor/);
  },
);

it('no advice on a place sends to the command that gives it', () => {
  expect(Object.values(STORAGE_FIXES).filter((fix) => fix.includes('doctor'))).toEqual([]);
});
