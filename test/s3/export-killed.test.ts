/** Kills while the archive is in a bucket: the tests of the disk, unchanged, by night. */
import { describe } from 'vitest';
import { onS3 } from '../support/base/place.js';
import { isNight } from '../support/base/night.js';
import { hasS3 } from '../support/store/s3-server.js';

onS3();
describe.skipIf(!hasS3 || !isNight)('on S3', async () => {
  await import('../fault/export/killed.test.js');
});
