import { expect, it } from 'vitest';
import { IntegrityError } from '../../../../src/archive/archive-errors.js';
import { FAILURE_KINDS, type FailureKind, UsageError } from '../../../../src/base/error.js';
import { FormatError } from '../../../../src/formats/format.js';
import { localFailure } from '../../../../src/storage/local/local-failure.js';
import { s3Failure } from '../../../../src/storage/s3/s3-failure.js';
import { afterRefusal, nextStep } from '../../../../src/cli/output/next-step.js';
import { verifiedView } from '../../../../src/cli/output/reports/verify-report.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { duckDbFailure } from '../../../../src/query/is-unknown-table.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { makeSampleArchive } from '../../../support/store/sample-archive.js';

function textAfter(error: unknown): string | undefined {
  return nextStep(error)?.text();
}

it('a damaged archive sends people to verify, a bug and a mistaken command line nowhere', () => {
  expect(textAfter(new IntegrityError('a', 'missing', 'is missing'))).toBe(
    'jobvault verify ARCHIVE names everything that is damaged.',
  );
  expect(textAfter(new IntegrityError('jobvault.json', 'unreadable', 'is damaged'))).toBe(
    'restore jobvault.json from a copy of the archive, then run jobvault verify ARCHIVE.',
  );
  expect(nextStep(new UsageError('no archive is named'))).toBeUndefined();
  expect(nextStep(new TypeError('bug'))).toBeUndefined();
});

it('every kind of failure says what to do next, but a mistaken command line and a bug', () => {
  const failing = (failure: FailureKind) =>
    Object.assign(Object.create(IntegrityError.prototype) as IntegrityError, { failure, code: '' });
  const silent = FAILURE_KINDS.filter((kind) => nextStep(failing(kind)) === undefined);
  expect(silent).toEqual(['unexpected', 'usage']);
});

it.each<[string, { name?: string; code?: string; status?: number; message?: string }, RegExp]>([
  ['a bucket that is not there', { name: 'NoSuchBucket' }, /^create the bucket/],
  ['a bucket in another region', { name: 'PermanentRedirect' }, /--s3-region/],
  ['a host that is not known', { code: 'ENOTFOUND' }, /^correct the host in --s3-endpoint/],
  ['a connection that is refused', { code: 'ECONNREFUSED' }, /^correct host and port/],
  ['a connection that is closed', { code: 'ECONNRESET' }, /firewall/],
  [
    'a key that is not known',
    { name: 'InvalidAccessKeyId' },
    /^give the right AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or a role of this machine \(in the folder of init --nightly they stand in the file environment, which is read where --config names the configuration beside it\); then/,
  ],
  ['a session token that has expired', { name: 'ExpiredToken' }, /^renew the session token/],
  ['a permission that is missing', { status: 403 }, /^give this key the permission/],
  ['a certificate of an own authority', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }, /NODE_EXTRA_CA/],
  ['a proxy that asks', { status: 407 }, /HTTPS_PROXY/],
  ['a quota that is used up', { name: 'QuotaExceeded' }, /^free space/],
  ['an object in an archive class', { name: 'InvalidObjectState', status: 403 }, /^restore the/],
  ['a store that is overloaded', { name: 'SlowDown' }, /^wait/],
  ['a clock that is wrong', { name: 'RequestTimeTooSkewed' }, /^set this machine's clock/],
  [
    'a checksum that the store refuses',
    {
      name: 'InvalidRequest',
      status: 400,
      message: 'Unsupported header x-amz-sdk-checksum-algorithm',
    },
    /^give --s3-checksum none/,
  ],
  ['what nobody knows', { name: 'Teapot' }, /^check .*; jobvault doctor --out ARCHIVE tries/],
])('%s in a bucket has a next step of its own', (_what, { name, code, status, message }, step) => {
  const error = Object.assign(new Error(message ?? 'it failed'), {
    ...(name === undefined ? {} : { name }),
    ...(code === undefined ? {} : { code }),
    $metadata: { httpStatusCode: status },
  });
  const next = textAfter(
    s3Failure('write', 'a file', { location: 's3://bucket/archive', asksAws: false }, error),
  );
  expect(next).toMatch(step);
  expect(next).toMatch(/; then run the same command again\.$/);
});

it.each([
  [
    'ECONNREFUSED',
    /: the proxy p:3128 cannot be reached: the connection was refused/,
    /^see that the/,
  ],
  ['EACCES', /: it failed \(EACCES\), through the proxy p:3128$/, /^check what the message quotes/],
])('%s of a store behind a proxy names the proxy', (code, said, step) => {
  const error = Object.assign(new Error('it failed'), { code });
  const place = { location: 's3://bucket/archive', asksAws: true, proxy: 'p:3128' };
  const failure = s3Failure('read', 'x', place, error);
  expect(failure.message).toMatch(said);
  expect(failure.message).not.toContain('--s3-endpoint');
  expect(textAfter(failure)).toMatch(step);
});

it.each([
  ['ENOTFOUND', 'the host is not known (ENOTFOUND)', /^name the address of the store with --s3-e/],
  ['NoSuchBucket', 'there is no such bucket (NoSuchBucket)', /^create the bucket/],
])('%s of a store that nobody named says that AWS was asked', (code, clause, step) => {
  const error = Object.assign(
    new Error('it failed'),
    code === 'ENOTFOUND' ? { code } : { name: code },
  );
  const failure = s3Failure('read', 'x', { location: 's3://bucket/archive', asksAws: true }, error);
  expect(failure.message).toBe(
    `cannot read x in s3://bucket/archive: ${clause}; AWS was asked, because no --s3-endpoint is set`,
  );
  expect(textAfter(failure)).toMatch(step);
});

it.each([
  ['ENOSPC', /^free space/],
  ['EACCES', /^give this user write access/],
  ['EROFS', /^mount the file system writable/],
  ['EMFILE', /ulimit -n/],
  ['EIO', /^check the disk/],
  ['ENOTDIR', /^move away/],
])('%s on a disk has a next step of its own', (code, step) => {
  const error = Object.assign(new Error('it failed'), { code });
  expect(textAfter(localFailure('write', 'a file', '/archive', error))).toMatch(step);
});

it('a query that DuckDB refuses says how to go on: by the names, the language, or more memory', () => {
  const failure = (message: string) => textAfter(duckDbFailure(new Error(message)));
  const names = expect.stringContaining("'SHOW TABLES' lists the tables and views") as unknown;
  expect(failure('Binder Error: Referenced column "nope" not found')).toEqual(names);
  expect(failure('Catalog Error: Table with name nope does not exist!')).toEqual(names);
  expect(failure('Binder Error: Table "t" does not have a column named "b"')).toEqual(names);
  const unsupported = 'Binder Error: Combining QUALIFY with GROUP BY ALL is not supported yet';
  expect(failure(unsupported)).toMatch(/^correct the SQL /);
  expect(failure('Parser Error: syntax error at or near "SELEC"')).toMatch(/^correct the SQL /);
  expect(failure('Permission Error: cannot open')).toMatch(/^correct the SQL .*'SHOW TABLES'/);
  expect(failure('Out of Memory Error: failed to allocate')).toMatch(/more --memory, or a --temp/);
});

it('a part file that cannot be read sends people to verify', () => {
  expect(textAfter(new FormatError('A line is not JSON'))).toMatch(/^jobvault verify ARCHIVE /);
});

it('verify of a damaged archive says how to mend it, of a sound one nothing', async () => {
  const storage = createMemoryStorage();
  const archive = await makeSampleArchive(storage);
  await archive.index.refresh();
  const [file] = archive.index.contents.files.values();
  const report = await verifyArchive(archive);
  expect(verifiedView({ report: { ...report, problems: [] } }).next).toBeUndefined();
  await storage.delete(file?.path ?? '');
  const damaged = await verifyArchive(archive);
  expect(verifiedView({ report: damaged }).next?.text()).toMatch(
    /^jobvault verify ARCHIVE --repair /,
  );
});

it.each([
  [
    ['doubtful'],
    /lets a prune delete.* jobvault sessions delete SESSION --user USER.*\.$/,
    /verify/,
  ],
  [
    ['doubtful', 'hold'],
    /sessions delete .*hold list .*then run the same command again\.$/,
    /verify/,
  ],
  [
    ['doubtful', 'gap'],
    /sessions delete .*verify .*then run the same command again\.$/,
    /hold list/,
  ],
  [['gap'], /verify .*then run the same command again\.$/, /sessions delete/],
])('after a refusal of %j only what helps is advised', (reasons, says, saysNot) => {
  const next = afterRefusal(reasons.map((reason) => ({ reason }))).text();
  expect(next).toMatch(says);
  expect(next).not.toMatch(saysNot);
});
