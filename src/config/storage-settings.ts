/** Settings of S3, for every command that opens an archive. */
import { parseRetention } from '../model/records.js';
import { choice, list, parsed, text, toggle } from './setting.js';

export const storageSettings = {
  s3Endpoint: text({
    name: 's3-endpoint',
    describe: 'The address of an S3-compatible store, such as https://s3.example.com; default: AWS',
    isAddress: true,
  }),
  s3Region: text({ name: 's3-region', describe: 'The region of the bucket' }),
  s3ForcePathStyle: toggle({
    name: 's3-force-path-style',
    describe: 'Put the bucket into the path, not into the host name',
  }),
  s3Sse: choice({ name: 's3-sse', describe: 'Encryption on the server' }, ['AES256', 'aws:kms']),
  s3KmsKeyId: text({ name: 's3-kms-key-id', describe: 'The key for --s3-sse aws:kms' }),
  s3StorageClass: text({
    name: 's3-storage-class',
    describe: 'The storage class, such as STANDARD_IA',
  }),
  s3Acl: text({ name: 's3-acl', describe: 'A canned ACL such as bucket-owner-full-control' }),
  s3Tags: list({ name: 's3-tags', describe: 'KEY=VALUE for every object; repeatable' }),
  s3Checksum: choice(
    {
      name: 's3-checksum',
      describe: 'What the store checks uploads against; none for stores that refuse checksums',
      default: 'sha256',
    },
    ['sha256', 'crc32', 'none'],
  ),
  s3ObjectLock: choice(
    { name: 's3-object-lock', describe: 'The object lock mode of everything that is archived' },
    ['COMPLIANCE', 'GOVERNANCE'],
  ),
  s3RetainUntil: parsed(
    {
      name: 's3-retain-until',
      describe:
        'With --s3-object-lock: how long, counted from the upload, or until which day (UTC)',
    },
    'a time such as 7y or 90d, or a day such as 2033-12-31',
    parseRetention,
  ),
};
