import { expect, it } from 'vitest';
import { IntegrityError } from '../../../../src/archive/verify/integrity-error.js';
import { FAILURE_KINDS, type FailureKind } from '../../../../src/base/error.js';
import { UsageError } from '../../../../src/base/usage-error.js';
import { FormatError, newerFileError } from '../../../../src/formats/format-error.js';
import { jobsTable } from '../../../../src/model/tables.js';
import { nextStep } from '../../../../src/cli/output/next-step.js';
import { verifiedText } from '../../../../src/cli/output/reports/verify-report.js';
import { rowFormats } from '../../../../src/formats/formats.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { duckDbFailure } from '../../../../src/query/duck-db-failure.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { makeSampleArchive } from '../../../support/store/sample-archive.js';

it('a damaged archive sends people to verify, a bug and a mistaken command line nowhere', () => {
  expect(nextStep(new IntegrityError('a', 'missing', 'is missing'))).toBe(
    'jobvault verify ARCHIVE names everything that is damaged.',
  );
  expect(nextStep(new IntegrityError('jobvault.json', 'unreadable', 'is damaged'))).toBe(
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

it('a query that DuckDB refuses says how to go on: by the names, the language, or more memory', () => {
  const failure = (message: string) => nextStep(duckDbFailure(new Error(message)));
  const names = expect.stringContaining('"SHOW TABLES" lists the tables and views') as unknown;
  expect(failure('Binder Error: Referenced column "nope" not found')).toEqual(names);
  expect(failure('Catalog Error: Table with name nope does not exist!')).toEqual(names);
  expect(failure('Parser Error: syntax error at or near "SELEC"')).toMatch(/^correct the SQL /);
  expect(failure('Permission Error: cannot open')).toMatch(/^correct the SQL .*"SHOW TABLES"/);
  expect(failure('Out of Memory Error: failed to allocate')).toMatch(/more --memory, or a --temp/);
});

it('part files of a newer version send people to an update, not to verify', () => {
  const table = jobsTable.name;
  expect(nextStep(newerFileError(table, ['mood']))).toMatch(/^update jobvault.* not damaged\.$/);
  expect(nextStep(new FormatError('A line is not JSON'))).toMatch(/^jobvault verify ARCHIVE /);
});

it('verify of a damaged archive says how to mend it, of a sound one nothing', async () => {
  const storage = createMemoryStorage();
  const archive = await makeSampleArchive(storage);
  const formats = rowFormats();
  const [file] = archive.index.contents.files.values();
  const report = await verifyArchive(archive, { formats });
  expect(verifiedText({ report: { ...report, problems: [] } })).not.toContain('Next: ');
  await storage.delete(file?.path ?? '');
  const damaged = await verifyArchive(archive, { formats });
  expect(verifiedText({ report: damaged })).toContain('Next: jobvault verify ARCHIVE --repair ');
});
