/** The first signature of an archive binds every later run to its key, so none is made without a yes or a flag. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchive, SigningStartError } from '../../../src/index.js';
import { ed25519Pair, startingSigner } from '../../support/base/signing-keys.js';
import { cli, cliOnTerminal, type CliRun } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let key: readonly string[];
const pair = ed25519Pair();
beforeEach(async () => {
  rig = await ExportRig.start();
  rig.state.addJobs('ann', rig.state.addSession('ann', { id: 'a-1' }), 1);
  const file = join(rig.directory, 'key.pem');
  await writeFile(file, pair.privateKey, { mode: 0o600 });
  key = ['--signing-key', file];
});
afterEach(() => rig[Symbol.asyncDispose]());

const exporting = () => [
  ...['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--user', 'ann'],
  ...key,
];
const holding = () => [
  ...['hold', 'add', rig.out, '--user', 'ann', '--reason', 'x', '--by', 'Grace'],
  ...key,
];
const refused = () =>
  `nothing was written to ${rig.out}: it has not been signed so far, and from the first signature on, every run that writes to it (exports, workers, holds) needs this key in --signing-key, for good; if that is wanted, pass --start-signing once`;
const BINDS =
  'This archive has not been signed so far. From the first signature on, every run that writes to it (exports, workers, holds) needs this key in --signing-key, and there is no way back. Sign it? [y/N]';
const DECLINED = 'because it is not to be signed; without --signing-key the run is not signed';
const message = ({ stderr }: CliRun) => /^jobvault: (.*)$/m.exec(stderr)?.[1];
const oneLine = ({ stderr }: CliRun) => stderr.replaceAll(/\s+/g, ' ');

async function signer(): Promise<string | null> {
  await using archive = await openArchive(rig.out);
  return await archive.signedBy();
}

describe('without a terminal', () => {
  it.each([
    ['an export that would make the archive', false, exporting],
    ['an export', true, exporting],
    ['a hold', true, holding],
    ['an erasure with --yes', true, () => ['erase', rig.out, '--user', 'ann', '--yes', ...key]],
    ['a compaction', true, () => ['compact', rig.out, ...key]],
    ['a drill', true, () => ['drill', rig.out, ...key]],
    [
      'a prune with --yes',
      true,
      () => ['prune', rig.out, '--all', '--yes', '--base-url', rig.emulator.baseUrl, ...key],
    ],
  ] as const)(
    '%s signs nothing and writes nothing without --start-signing',
    async (_what, isThere, words) => {
      if (isThere) await rig.archived();
      const before = await rig.files('');
      const run = await cli(words());
      expect([run.exitCode, message(run)]).toEqual([2, refused()]);
      expect(await rig.files('')).toEqual(before);
    },
  );

  it('neither a variable nor a file starts it', async () => {
    const config = join(rig.directory, 'config.yaml');
    await writeFile(config, 'signing-key: key.pem\nstart-signing: true\n');
    const environment = { JOBVAULT_API_KEY: 'demo-key', JOBVAULT_START_SIGNING: 'true' };
    expect((await cli(exporting(), environment)).exitCode).toBe(2);
    const told = await cli([...exporting(), '--config', config]);
    expect([told.exitCode, told.stderr]).toEqual([2, expect.stringContaining('start-signing')]);
    expect(await rig.files('')).toEqual([]);
  });

  it.each([
    ['made by it', false],
    ['that is there', true],
  ])(
    '--start-signing signs an archive %s, and later runs need the key alone',
    async (_what, isThere) => {
      if (isThere) await rig.archived();
      expect((await cli([...exporting(), '--start-signing'])).exitCode).toBe(0);
      expect(await signer()).not.toBeNull();
      expect((await cli(holding())).exitCode).toBe(0);
      expect((await cli([...holding(), '--start-signing'])).exitCode).toBe(0);
    },
  );

  it('--start-signing needs a key', async () => {
    const run = await cli(['compact', rig.out, '--start-signing']);
    expect([run.exitCode, message(run)]).toEqual([
      2,
      '--start-signing needs the key; give --signing-key',
    ]);
  });
});

describe('on a terminal', () => {
  it.each([
    ['an export that would make the archive', false, exporting],
    ['an export', true, exporting],
    ['a hold', true, holding],
  ] as const)('%s asks, and writes nothing after a no', async (_what, isThere, words) => {
    if (isThere) await rig.archived();
    const before = await rig.files('');
    const run = await cliOnTerminal(words(), { stdin: 'n\n' });
    expect(run.exitCode).toBe(2);
    expect(oneLine(run)).toContain(BINDS);
    expect(oneLine(run)).toContain(`nothing was written to ${rig.out}, ${DECLINED}`);
    expect(await rig.files('')).toEqual(before);
  });

  it.each([
    ['an export that makes the archive', false, exporting],
    ['an export', true, exporting],
    ['a hold', true, holding],
  ] as const)('%s asks once, and signs after a yes', async (_what, isThere, words) => {
    if (isThere) await rig.archived();
    const run = await cliOnTerminal(words(), { stdin: 'y\n' });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(oneLine(run).split(BINDS)).toHaveLength(2);
    expect(await signer()).not.toBeNull();
    expect(oneLine(await cliOnTerminal(holding()))).not.toContain('Sign it?');
  });

  it('--yes is not the yes to that', async () => {
    await rig.archived();
    const run = await cliOnTerminal(['erase', rig.out, '--user', 'ann', '--yes', ...key]);
    expect([run.exitCode, oneLine(run)]).toEqual([2, expect.stringContaining(refused())]);
    expect(await signer()).toBeNull();
  });
});

it.each([
  ['an export', () => [...exporting(), '--dry-run'], 0],
  ['an erasure', () => ['erase', rig.out, '--user', 'ann', '--dry-run', ...key], 0],
  ['an expiry', () => ['expire', rig.out, '--older-than', '1s', '--dry-run', ...key], 0],
  ['a prune', () => ['prune', rig.out, '--all', '--dry-run', ...key], 0],
] as const)('The plan of %s signs nothing and asks nothing', async (_what, words, code) => {
  await rig.archived();
  for (const run of [await cli(words()), await cliOnTerminal(words())]) {
    expect([run.exitCode, run.stderr.includes('signed')]).toEqual([code, false]);
  }
  expect(await signer()).toBeNull();
});

it('a caller of the library says mayStart, and gets a typed error without it', async () => {
  const starting = startingSigner(pair.privateKey);
  const { mayStart, ...silent } = starting;
  expect(mayStart).toBe(true);
  await expect(rig.export({ signer: silent })).rejects.toThrow(SigningStartError);
  await rig.export();
  await using archive = await openArchive(rig.out, { signer: silent });
  const hold = { users: ['ann'], reason: 'x', by: 'Grace' };
  await expect(archive.hold(hold)).rejects.toMatchObject({
    name: 'SigningStartError',
    code: 'ARCHIVE_SIGNING_START',
    disposition: 'fatal',
    message: refused(),
  });
  await using asked = await openArchive(rig.out, {
    signer: { ...silent, mayStart: () => Promise.resolve(true) },
  });
  await asked.hold(hold);
  expect(await signer()).toBe(silent.publicKeyId);
});
