import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { createS3Storage } from '../../src/storage/s3/s3-storage.js';
import { hasS3, TestBucket } from '../support/store/s3-server.js';
import { describeStorage } from './storage-suite.js';

describe.skipIf(!hasS3)('with a real server', () => {
  describeStorage('a bucket of S3', {
    listedObjects: 1100,
    largeBytes: 30_000_000,
    async make() {
      const bucket = await TestBucket.make();
      const temporary = await mkdtemp(join(tmpdir(), 'jobvault-spool-test-'));
      const { endpoint } = bucket;
      const location = `s3://${bucket.name}/some/prefix`;
      return {
        open: () => createS3Storage({ location, endpoint, forcePathStyle: true, temporary }),
        async leftovers() {
          const [folder = ''] = await readdir(temporary);
          return folder === '' ? [] : readdir(join(temporary, folder));
        },
        async remove() {
          await bucket[Symbol.asyncDispose]();
          await rm(temporary, { recursive: true });
        },
      };
    },
  });
});
