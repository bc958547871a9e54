import { expect, it } from 'vitest';
import { IntegrityError } from '../../../../src/archive/verify/integrity-error.js';
import { UsageError } from '../../../../src/base/usage-error.js';
import { nextStep } from '../../../../src/cli/output/next-step.js';
import { verifiedText } from '../../../../src/cli/output/reports/verify-report.js';
import { rowFormats } from '../../../../src/formats/formats.js';
import { verifyArchive } from '../../../../src/archive/verify/verify.js';
import { duckDbFailure } from '../../../../src/query/duck-db-failure.js';
import { createMemoryStorage } from '../../../support/memory-storage.js';
import { makeSampleArchive } from '../../../support/sample-archive.js';

it('a damaged archive sends people to verify, a bug and a mistaken command line nowhere', () => {
  expect(nextStep(new IntegrityError('a', 'missing', 'is missing'))).toBe(
    'jobvault verify ARCHIVE names everything that is damaged.',
  );
  expect(nextStep(new UsageError('no archive is named'))).toBeUndefined();
  expect(nextStep(new TypeError('bug'))).toBeUndefined();
});

it('a query with a name that there is not sends people to the names, any other to nothing', () => {
  const failure = (message: string) => nextStep(duckDbFailure(new Error(message)));
  const names = expect.stringContaining('"SHOW TABLES" lists the tables and views') as unknown;
  expect(failure('Binder Error: Referenced column "nope" not found')).toEqual(names);
  expect(failure('Catalog Error: Table with name nope does not exist!')).toEqual(names);
  expect(failure('Parser Error: syntax error at or near "SELEC"')).toBeUndefined();
  expect(failure('Out of Memory Error: failed to allocate')).toBeUndefined();
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
