/** The built program, killed while it makes a pseudonymised copy: the next one removes what is left, and is whole. I-54 in FORMAT.md. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemProcesses } from '../../../src/base/process-identity.js';
import { CliRig } from '../../support/rigs/cli-rig.js';

/** Kills the process that it is loaded into, once it has given a file with this name its place. */
const KILLER = `
import { promises } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const name = new RegExp(process.env.KILLED_AT);
for (const how of ['link', 'rename']) {
  const own = promises[how];
  promises[how] = async (from, to) => {
    await own(from, to);
    if (name.test(to)) process.kill(process.pid, 'SIGKILL');
  };
}
syncBuiltinESMExports();
`;

// each case runs the built program several times
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let rig: CliRig;
let target: string;
beforeEach(async () => {
  rig = await CliRig.start({ users: 2, sessions: 2, jobs: 2 });
  await rig.export();
  target = join(rig.directory, 'copy');
  await writeFile(join(rig.directory, 'key'), randomBytes(32));
  await writeFile(join(rig.directory, 'killer.mjs'), KILLER);
});
afterEach(() => rig[Symbol.asyncDispose]());

const copyWords = (): string[] => ['copy', rig.out, target, '--pseudonymise', 'key'];

async function killedAt(name: string): Promise<string[]> {
  const NODE_OPTIONS = `--import=${pathToFileURL(join(rig.directory, 'killer.mjs')).href}`;
  const environment = { NODE_OPTIONS, KILLED_AT: name };
  const { exitCode } = await rig.runProgram(copyWords(), { environment });
  expect(exitCode).toBeNull();
  return filesIn(target);
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe('a pseudonymised copy that was killed', () => {
  it.each([
    ['when its first part file is there', String.raw`\.parquet$`],
    ['when its commit is there', String.raw`_commits/\d{12}\.json$`],
    ['before it is verified', String.raw`/jobvault\.json$`],
  ])('%s is removed by the next one, which is whole', async (_when, name) => {
    const left = await killedAt(name);
    expect(left).toContain('_copy.json');
    expect(left.some((one) => one.endsWith('.parquet'))).toBe(true);
    const { exitCode, stderr } = await rig.run(copyWords());
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(/^\[\S+Z\] INFO: removing what a copy has left that died here\n$/);
    const files = await filesIn(target);
    expect(files).not.toContain('_copy.json');
    const again = await rig.run(['verify', target, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'intact', foreign: [], orphans: [] });
    const parts = files.filter((one) => one.endsWith('.parquet'));
    expect(new Set(parts.map((part) => part.slice(0, 26))).size).toBe(1);
  });

  it('is no archive, and neither removes what others have put there nor joins it with a copy', async () => {
    await killedAt(String.raw`\.parquet$`);
    expect(await rig.run(['status', target])).toMatchObject({
      exitCode: 2,
      stderr: `jobvault: ${target} is not a jobvault archive: it has no jobvault.json\nTry jobvault status --help.\n`,
    });
    await writeFile(join(target, 'notes.txt'), 'mine');
    expect(await rig.run([...copyWords(), '--log-level', 'warn'])).toMatchObject({
      exitCode: 2,
      stderr: `jobvault: ${target} is not empty (it holds notes.txt): a pseudonymised copy is always made as a whole; choose an empty place\nTry jobvault copy --help.\n`,
    });
    expect(await readFile(join(target, 'notes.txt'), 'utf8')).toBe('mine');
    await rm(join(target, 'notes.txt'));
    expect((await rig.run(copyWords())).exitCode).toBe(0);
  });

  it('is not taken for dead while its process lives, and a plain copy is not removed', async () => {
    await killedAt(String.raw`\.parquet$`);
    const marker = join(target, '_copy.json');
    const note = JSON.parse(await readFile(marker, 'utf8')) as { run: string; host: string };
    await writeFile(marker, JSON.stringify({ ...note, ...systemProcesses.self }));
    const before = await filesIn(target);
    expect(await rig.run(copyWords())).toMatchObject({
      exitCode: 8,
      stderr: expect.stringContaining(
        `jobvault: another run (${note.run}, process ${process.pid} on ${note.host}) is working on the copy in ${target}\n`,
      ) as string,
    });
    await writeFile(marker, '01K00000000000000000000000\n');
    expect(await rig.run(copyWords())).toMatchObject({
      exitCode: 2,
      stderr: `jobvault: ${target} is not empty (it holds _copy.json): a pseudonymised copy is always made as a whole; choose an empty place\nTry jobvault copy --help.\n`,
    });
    expect(await filesIn(target)).toEqual(before);
  });
});
