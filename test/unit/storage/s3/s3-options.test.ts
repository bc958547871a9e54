import { expect, it } from 'vitest';
import { UsageError } from '../../../../src/base/error.js';
import { openStorage } from '../../../../src/storage/open-storage.js';
import {
  assertS3Options,
  tagHeader,
  type S3Options,
} from '../../../../src/storage/s3/s3-options.js';
import { parseS3Location } from '../../../../src/storage/s3/s3-location.js';

const NOW = Date.UTC(2026, 10, 21);

it.each([
  ['s3://bucket', { bucket: 'bucket', prefix: '' }],
  ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
  ['s3://my.bucket-1/a', { bucket: 'my.bucket-1', prefix: 'a/' }],
  ['S3://bucket/a/b/', { bucket: 'bucket', prefix: 'a/b/' }],
  ['s3://bucket/an archive', { bucket: 'bucket', prefix: 'an archive/' }],
])('the place of an archive in S3 is read from %s', (location, expected) => {
  expect(parseS3Location(location)).toEqual(expected);
});

it.each([
  's3://',
  's3:///a',
  's3://b',
  's3://bucket//a',
  's3://bucket/../a',
  's3://bucket/a?x',
  's3://-a-/x',
  's3://user:word@host/x',
])('the place of an archive in S3 is not read from %s', (location) => {
  expect(() => parseS3Location(location)).toThrow(UsageError);
});

it('the place of an archive in S3 is a directory or a bucket, nothing else', async () => {
  for (const location of ['gs://bucket/a', 'https://example.com/a', '']) {
    await expect(openStorage(location)).rejects.toThrow(
      'allowed is a directory or s3://bucket/prefix',
    );
  }
});

it.each<[S3Options, string]>([
  [{ kmsKeyId: 'k' }, '--s3-kms-key-id needs --s3-sse aws:kms, but it is not given'],
  [{ kmsKeyId: 'k', sse: 'AES256' }, 'but it is AES256'],
  [{ storageClass: 'DEEP_ARCHIVE' }, 'must be restored before it can be read'],
  [{ acl: 'everybody' }, '--s3-acl is everybody; allowed is private'],
  [{ objectLock: 'COMPLIANCE' }, 'needs --s3-retain-until, such as 7y'],
  [{ retainUntil: { forMs: 1 } }, '--s3-retain-until needs --s3-object-lock'],
  [{ objectLock: 'GOVERNANCE', retainUntil: { untilMs: NOW - 1 } }, 'which is in the past'],
  [
    { objectLock: 'GOVERNANCE', retainUntil: { forMs: 1 }, checksum: 'none' },
    '--s3-checksum is none',
  ],
  [{ endpoint: 'localhost:9000' }, '--s3-endpoint is not a valid address'],
  [{ tags: ['team'] }, '--s3-tags has "team"; allowed is KEY=VALUE'],
  [{ tags: ['a=1', 'a=2'] }, 'has the key a twice'],
  [{ tags: Array.from({ length: 11 }, (_, i) => `k${i}=v`) }, 'has 11 tags; allowed are 10'],
])('options of S3 %j make no sense', (options, message) => {
  expect(() => {
    assertS3Options(options, NOW);
  }).toThrow(UsageError);
  expect(() => {
    assertS3Options(options, NOW);
  }).toThrow(message);
});

it('options of S3 never repeat a password that stands in the endpoint', () => {
  expect(() => {
    assertS3Options({ endpoint: 'https://ann:canary@store' }, NOW);
  }).toThrow(expect.not.stringContaining('canary') as string);
});

it('options of S3 that make sense are taken', () => {
  const lock = { objectLock: 'COMPLIANCE', retainUntil: { forMs: 1 } } as const;
  assertS3Options({ sse: 'aws:kms', kmsKeyId: 'k', acl: 'private', ...lock }, NOW);
  expect(tagHeader(['team=data & co', 'b=1=2'].slice(1))).toBe('b=1%3D2');
  expect(tagHeader([])).toBeUndefined();
});
