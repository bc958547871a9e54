/** Whether tests can have an S3 server: one that is named in variables, or Ceph's gateway unpacked on this machine. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './programs.js';

/** A server that runs already, with credentials that may make buckets. */
export const namedEndpoint = process.env['JOBVAULT_TEST_S3_ENDPOINT'];

/** Where `ceph.sh install` has unpacked it; kept between checkouts. */
export const cephTree =
  process.env['JOBVAULT_TEST_CEPH'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'jobvault-test', 'ceph');

const canRunCeph =
  process.getuid?.() === 0 &&
  findProgram('setpriv', 'JOBVAULT_TEST_SETPRIV') !== undefined &&
  existsSync(join(cephTree, '.complete'));

export const hasS3 = namedEndpoint !== undefined || canRunCeph;
/** Only one of our own can be killed. */
export const hasS3ToBreak = namedEndpoint === undefined && canRunCeph;

/** What is left out, and how to have it. */
export const missingS3: readonly string[] = hasS3
  ? []
  : [
      'S3: as root on Debian run "test/services/ceph.sh install ~/.cache/jobvault-test/ceph", or name a server in JOBVAULT_TEST_S3_ENDPOINT (with JOBVAULT_TEST_S3_KEY and JOBVAULT_TEST_S3_SECRET)',
    ];

if (process.env['CI'] === 'true' && missingS3.length > 0) {
  throw new Error(`in CI nothing S3 may be left out: ${missingS3.join()}`);
}
