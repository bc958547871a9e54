/** The programs of others that rows compare with: found, or installed where this machine lets us. */
import { findProgram } from '../services/programs.js';
import { cephTree, missingS3 } from '../services/s3-availability.js';
import { timed } from './measured-process.js';

export type NeededProgram = 'curl' | 'rclone' | 'ceph';

/** Why a program cannot be had; undefined where it is there now. */
export async function whyMissing(program: NeededProgram): Promise<string | undefined> {
  const isThere = (): boolean =>
    program === 'ceph' ? missingS3.length === 0 : findProgram(program, '') !== undefined;
  if (isThere()) return undefined;
  try {
    process.stderr.write(`${program} is missing: installing it\n`);
    if (program === 'ceph') await timed('bash', ['test/services/ceph.sh', 'install', cephTree]);
    else {
      await timed('apt-get', ['update', '-q']);
      await timed('apt-get', ['install', '-y', '-q', '--no-install-recommends', program]);
    }
    return undefined;
  } catch (error) {
    const [line = ''] = String(error).split('\n', 1);
    return `${program} is missing, and could not be installed: ${line}`;
  }
}
