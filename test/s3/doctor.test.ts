/** `doctor` with the archive in a bucket. */
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/doctor/examine-service.js';
import { examineSetup } from '../../src/doctor/examine-setup.js';
import { hasS3, TestBucket } from '../support/store/s3-server.js';

const find = (findings: readonly Finding[], check: string) =>
  findings.find((finding) => finding.check === check);

describe.skipIf(!hasS3)('the doctor', () => {
  const examine = (bucket: TestBucket, out: string) =>
    examineSetup({
      out,
      baseUrl: 'https://api.example.com',
      nodeVersion: 'v20.19.0',
      storage: { s3: { endpoint: bucket.endpoint, region: 'us-east-1', forcePathStyle: true } },
    });

  it('writes, reads and deletes in a bucket, and leaves nothing there', async () => {
    await using bucket = await TestBucket.make();
    const findings = await examine(bucket, `s3://${bucket.name}/some/prefix`);
    expect(find(findings, 'write access')).toMatchObject({ status: 'ok' });
    expect(find(findings, 'free space')).toMatchObject({ status: 'ok' });
    expect(find(findings, 'archive')).toMatchObject({ status: 'ok' });
    const left = await bucket.client.send(new ListObjectVersionsCommand({ Bucket: bucket.name }));
    expect(left.Versions ?? []).toEqual([]);
  });

  it('names a bucket that is not there', async () => {
    await using bucket = await TestBucket.make();
    const missing = `s3://${bucket.name}-is-not-there/archive`;
    const findings = await examine(bucket, missing);
    const access = find(findings, 'write access');
    expect(access).toMatchObject({ status: 'failed', failure: 'storage' });
    expect(access!.message).toContain(`${bucket.name}-is-not-there`);
    expect(findings.filter(({ message }) => message.includes('NoSuchBucket'))).toEqual([access]);
    expect(find(findings, 'archive')).toMatchObject({ status: 'unknown', because: 'write access' });
  });
});
