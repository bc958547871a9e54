/** A package that is not installed ends no command as a success: the exit code tells it, and the sentence names it. */
import { cp, mkdir, readdir, rename, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAIN } from '../support/programs/cli-process.js';
import { CliRig } from '../support/rigs/cli-rig.js';

let rig: CliRig;
let packages: string;
let program: string;
beforeAll(async () => {
  rig = await CliRig.start({ users: 1, sessions: 1, jobs: 1 });
  const built = dirname(MAIN);
  const copy = join(rig.directory, 'installed');
  packages = join(copy, 'node_modules');
  program = join(copy, 'dist', 'main.js');
  await mkdir(packages, { recursive: true });
  await cp(built, join(copy, 'dist'), { recursive: true });
  await cp(join(built, '../package.json'), join(copy, 'package.json'));
  const installed = join(built, '../node_modules');
  for (const name of await readdir(installed)) {
    await symlink(join(installed, name), join(packages, name));
  }
});
afterAll(() => rig[Symbol.asyncDispose]());

describe.each(['undici', 'p-limit', 'csv-parse', 'file-type', 'image-size'])(
  'without %s',
  (missing) => {
    const away = () => join(rig.directory, missing);
    beforeAll(() => rename(join(packages, missing), away()));
    afterAll(() => rename(away(), join(packages, missing)));

    it('the doctor fails and names the package, too', async () => {
      const { exitCode, stderr } = await rig.runProgram(['doctor'], { program });
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`package '${missing}'`)]);
    });

    it('an export fails and names the package', async () => {
      const { exitCode, stdout, stderr } = await rig.runProgram(rig.exportWords(), { program });
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        `jobvault: Cannot find package '${missing}': jobvault is not installed completely; install it again\n`,
      );
    });
  },
);

describe('without undici', () => {
  beforeAll(() => rename(join(packages, 'undici'), join(rig.directory, 'undici')));

  it.each(['export --help', 'sessions list --user a'])('%s fails, too', async (line) => {
    const { exitCode, stderr } = await rig.runProgram(line.split(' '), { program });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`package 'undici'`)]);
  });
});
