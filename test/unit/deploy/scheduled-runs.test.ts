/** The script for cron and the units name only commands, flags and variables that there are. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands.js';
import { ALL_SETTING_NAMES } from '../../../src/config/all-settings.js';
import { variableOf } from '../../../src/config/resolve-settings.js';
import { commonSettings } from '../../../src/config/common-settings.js';

import { parseDuration } from '../../../src/base/units.js';
import { MAX_IN_A_ROW } from '../../../src/export/circuit-breaker.js';
import { SERVICE_DEFAULTS } from '../../../src/service/create-service-client.js';

const DEPLOY = new URL('../../../config/deploy/', import.meta.url);
const UNITS = ['jobvault-export', 'jobvault-verify', 'jobvault-drill'];
const SERVICES = UNITS.map((unit) => `${unit}.service`);
const TIMERS = UNITS.map((unit) => `${unit}.timer`);
const RIGHTS = 'jobvault-.service.d/rights.conf';
const FILES = ['nightly.sh', ...SERVICES, ...TIMERS, RIGHTS];
const textOf = (file: string) => readFile(new URL(file, DEPLOY), 'utf8');
const run = promisify(execFile);

/** Without comments. */
const linesOf = async (file: string) =>
  (await textOf(file)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

describe('what is scheduled', () => {
  it.each([
    ['nightly.sh', 4],
    ['jobvault-export.service', 1],
    ['jobvault-verify.service', 1],
    ['jobvault-drill.service', 1],
  ])('%s calls commands with flags that they have', async (file, count) => {
    const calls = (await linesOf(file)).flatMap((line) => {
      const [, call] =
        /(?:^ExecStart=\S*\/jobvault|\sset --) ((?:export|verify|drill)\b[^;&]*)/.exec(line) ?? [];
      return call === undefined ? [] : [call];
    });
    expect(calls).toHaveLength(count);
    for (const call of calls) {
      const [word = ''] = call.split(' ');
      const listed = COMMANDS.find((one) => wordsOf(one).join(' ') === word);
      const command = listed && (await listed.load());
      const known = Object.values({ ...command?.settings, ...commonSettings }).map(
        ({ name }) => name,
      );
      const flags = [...call.matchAll(/ --([a-z-]+)/g)].map(([, flag]) => flag);
      for (const flag of flags) expect(known).toContain(flag);
    }
  });

  it('they name variables that there are', async () => {
    const known = new Set(['JOBVAULT_API_KEY', ...ALL_SETTING_NAMES.map(variableOf)]);
    const texts = await Promise.all(FILES.map(textOf));
    const named = texts.flatMap((text) => text.match(/JOBVAULT_[A-Z_]+/g) ?? []);
    expect(named.length).toBeGreaterThan(0);
    for (const name of named) expect(known).toContain(name);
  });

  it('they leave archive, metrics and key to the configuration', async () => {
    const lines = (await Promise.all(FILES.map(linesOf))).flat();
    expect(lines.filter((line) => /--(?:out|metrics-dir|api-key|users-file)/.test(line))).toEqual(
      [],
    );
    const calls = lines.filter((line) => /^ExecStart=|^jobvault\(\)/.test(line));
    expect(calls).toHaveLength(4);
    for (const call of calls) {
      expect(call).toContain(' --config /var/lib/jobvault/jobvault.config.yaml ');
    }
  });

  it('the systemd services have no rights that they do not need', async () => {
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

it('systemd tells somebody also where the service takes every request and answers none', async () => {
  const lines = await linesOf('jobvault-export.service');
  const valueOf = (name: string) =>
    lines.find((line) => line.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const [interval, pause] = ['StartLimitIntervalSec', 'RestartSec'].map((name) =>
    parseDuration(valueOf(name)),
  );
  const starts = Number(valueOf('StartLimitBurst'));
  const { requestTimeoutMs, maxAttempts, retryBudgetMs } = SERVICE_DEFAULTS;
  const longestTry = MAX_IN_A_ROW * (requestTimeoutMs * maxAttempts + retryBudgetMs);
  // otherwise the unit starts again for ever: systemd starts OnFailure= only at the limit
  expect(starts * (longestTry + (pause ?? 0))).toBeLessThanOrEqual(interval ?? 0);
  expect(lines).toContain('OnFailure=notify-jobvault@%n.service');
  // where each try fails at once, "about two hours"
  expect(starts * (pause ?? 0)).toBe(2 * 3_600_000);
  // the tries of one night are forgotten by the next
  expect((interval ?? 0) + starts * (longestTry + (pause ?? 0))).toBeLessThanOrEqual(
    24 * 3_600_000,
  );
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
