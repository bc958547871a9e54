/** The crontab and the units name only commands, flags and variables that there are. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadCommand, wordsOf } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands.js';
import { ALL_SETTING_NAMES } from '../../../src/config/all-settings.js';
import { variableOf } from '../../../src/config/resolve-settings.js';
import { commonSettings } from '../../../src/config/settings.js';

const DEPLOY = new URL('../../../config/deploy/', import.meta.url);
const UNITS = ['jobvault-export', 'jobvault-verify', 'jobvault-drill'];
const SERVICES = UNITS.map((unit) => `${unit}.service`);
const TIMERS = UNITS.map((unit) => `${unit}.timer`);
const RIGHTS = 'jobvault-.service.d/rights.conf';
const FILES = ['crontab', ...SERVICES, ...TIMERS, RIGHTS];
const textOf = (file: string) => readFile(new URL(file, DEPLOY), 'utf8');
const run = promisify(execFile);

/** Without comments. */
const linesOf = async (file: string) =>
  (await textOf(file)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('what is scheduled', () => {
  it.each([
    ['crontab', 3],
    ['jobvault-export.service', 1],
    ['jobvault-verify.service', 1],
    ['jobvault-drill.service', 1],
  ])('%s calls commands with flags that they have', async (file, count) => {
    const calls = (await linesOf(file)).flatMap((line) => {
      const [, call] =
        /(?:^ExecStart=\S*\/|\s)jobvault ((?:export|verify|drill|prune) .*)$/.exec(line) ?? [];
      return call === undefined ? [] : [call];
    });
    expect(calls).toHaveLength(count);
    for (const call of calls) {
      const [word = ''] = call.split(' ');
      const listed = COMMANDS.find((one) => wordsOf(one).join(' ') === word);
      const command = listed && (await loadCommand(listed));
      const known = Object.values({ ...command?.settings, ...commonSettings }).map(
        ({ name }) => name,
      );
      const flags = [...call.matchAll(/ --([a-z-]+)/g)].map(([, flag]) => flag);
      expect(flags.length).toBeGreaterThan(0);
      for (const flag of flags) expect(known).toContain(flag);
    }
  });

  it('they name variables that there are', async () => {
    const known = new Set(['JOBVAULT_API_KEY', ...ALL_SETTING_NAMES.map(variableOf)]);
    const texts = await Promise.all(FILES.map(textOf));
    const named = texts.map((text) => text.match(/JOBVAULT_[A-Z_]+/g) ?? []);
    const withNames = FILES.filter((_, index) => named[index]?.length);
    expect(withNames).toEqual(['crontab', ...SERVICES, RIGHTS]);
    for (const name of named.flat()) expect(known).toContain(name);
  });

  it('they name the archive in one place for all commands', async () => {
    const lines = (await Promise.all(FILES.map(linesOf))).flat();
    expect(lines.filter((line) => line.includes('jobvault/archive'))).toEqual([
      'JOBVAULT_OUT=/var/lib/jobvault/archive',
      'Environment=JOBVAULT_OUT=%S/jobvault/archive',
    ]);
  });

  it('they name one folder of metrics for all commands, as the guide does', async () => {
    const lines = (await Promise.all(FILES.map(linesOf))).flat();
    const named = lines.flatMap((line) => /--metrics-dir (\S+)/.exec(line)?.[1] ?? []);
    expect(named).toHaveLength(6);
    expect(new Set(named)).toEqual(new Set(['/var/lib/jobvault/metrics', '%S/jobvault/metrics']));
    const page = await readFile(new URL('../guide/everynight.md', DEPLOY), 'utf8');
    expect(page.match(/--metrics-dir (\S+)/)?.[1]).toBe(named[0]);
  });

  it('the systemd services hide the key, and have no rights that they do not need', async () => {
    expect(await linesOf('jobvault-export.service')).toContain(
      'LoadCredential=api-key:/etc/jobvault/api-key',
    );
    expect(await linesOf(RIGHTS)).toEqual(
      expect.arrayContaining([
        'NoNewPrivileges=yes',
        'ProtectSystem=strict',
        'ProtectHome=yes',
        'CapabilityBoundingSet=',
      ]),
    );
  });
});

const systemd = await run('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
);

it.skipIf(!systemd)('systemd finds nothing wrong with the units, and little exposed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'jobvault-units-'));
  try {
    for (const service of SERVICES) {
      // the program need not be installed here
      const text = (await textOf(service)).replace('/usr/local/bin/jobvault', '/bin/true');
      await writeFile(join(directory, service), text);
    }
    for (const other of [...TIMERS, RIGHTS]) {
      await cp(new URL(other, DEPLOY), join(directory, other));
    }
    const units = [...SERVICES, ...TIMERS].map((unit) => join(directory, unit));
    const verified = await run('systemd-analyze', ['verify', ...units]);
    expect(verified.stdout + verified.stderr).toBe('');
    // 0 is the least exposed, 10 the most: fails above 2.0
    await run('systemd-analyze', [
      'security',
      '--offline=yes',
      '--threshold=20',
      ...SERVICES.map((service) => join(directory, service)),
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
});
