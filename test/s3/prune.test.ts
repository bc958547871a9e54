/** `prune` with the archive in a bucket: the tests of the disk, unchanged. */
import { describe } from 'vitest';
import { onS3 } from '../support/place.js';
import { hasS3 } from '../support/s3-server.js';

onS3();
describe.skipIf(!hasS3)('on S3', async () => {
  await import('../integration/prune.test.js');
});
