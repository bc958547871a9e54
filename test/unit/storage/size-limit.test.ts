import { expect, it } from 'vitest';
import { UsageError } from '../../../src/base/error.js';
import { assertSizesFit } from '../../../src/storage/size-limit.js';

const bucket = { location: 's3://bucket/archive', maxObjectBytes: 5 * 2 ** 30 };

it.each([
  [{ maxFileBytes: 6 * 2 ** 30 }, '--max-file-size is 6.4 GB'],
  [{ checkpointBytes: 1e12 }, '--checkpoint-size is 1.0 TB'],
  [{ targetBytes: 5 * 2 ** 30 + 1 }, '--target-size is 5.4 GB'],
])('a size that a bucket cannot take in one object is refused: %j', (sizes, what) => {
  const check = () => {
    assertSizesFit(bucket, sizes);
  };
  expect(check).toThrow(UsageError);
  expect(check).toThrow(
    `${what}; allowed in s3://bucket/archive is at most 5GiB (5.4 GB), the largest object that a bucket takes in one request`,
  );
});

it('a size of 5 GiB fits into a bucket, and any size on a disk', () => {
  const most = 5 * 2 ** 30;
  assertSizesFit(bucket, { maxFileBytes: most, checkpointBytes: most, targetBytes: undefined });
  assertSizesFit({ location: '/archive' }, { maxFileBytes: 1e15 });
});
