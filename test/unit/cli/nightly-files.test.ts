/** The shipped files of a night get the places of a machine, and nothing else of them changes. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nightlyFiles } from '../../../src/cli/nightly-files.js';
import { ROOT } from '../../support/base/repository-files.js';

const shipped = (name: string) => readFile(join(ROOT, 'config/deploy', name), 'utf8');
const SHIPPED_PLACES = {
  config: '/var/lib/jobvault/jobvault.config.yaml',
  out: '/var/lib/jobvault/archive',
  user: 'jobvault',
  program: ['/usr/local/bin/jobvault'],
};
const FILES = {
  cron: ['nightly.sh', 'jobvault.cron'],
  systemd: [
    'jobvault-export.service',
    'jobvault-verify.service',
    'jobvault-drill.service',
    'jobvault-.service.d/rights.conf',
  ],
};

async function textsOf(places: Parameters<typeof nightlyFiles>[0]): Promise<Map<string, string>> {
  const files = await nightlyFiles(places);
  const folder = join(places.config, '..');
  return new Map(files.map(({ path, text }) => [path.slice(folder.length + 1), text]));
}

describe.each(['cron', 'systemd'] as const)('the files of a night for %s', (scheduler) => {
  it('are the shipped ones where the machine has their places', async () => {
    const texts = await textsOf({ ...SHIPPED_PLACES, scheduler });
    for (const name of FILES[scheduler]) expect(texts.get(name)).toBe(await shipped(name));
  });

  it('name the program, the configuration and the user of another machine, and none of theirs', async () => {
    const texts = await textsOf({
      config: '/home/ana/nights/company.yaml',
      out: '/srv/archive',
      metricsDir: '/tmp/metrics',
      user: 'ana',
      program: ['/home/ana/.nvm/bin/node', '/home/ana/jobvault/dist/main.js'],
      scheduler,
    });
    for (const name of FILES[scheduler]) {
      const lines = (texts.get(name) ?? '').split('\n').filter((line) => !/^# /.test(line));
      expect(lines.filter((line) => /\/var\/lib|\/usr\/local| {2}jobvault {2}/.test(line))).toEqual(
        [],
      );
    }
    if (scheduler === 'cron') {
      expect(texts.get('jobvault.cron')).toContain(
        '\n17 2 * * *  ana  /home/ana/nights/nightly.sh export\n',
      );
      expect(texts.get('nightly.sh')).toContain(
        'jobvault() { /home/ana/.nvm/bin/node /home/ana/jobvault/dist/main.js "$@" --config /home/ana/nights/company.yaml',
      );
    } else {
      const rights = texts.get('jobvault-.service.d/rights.conf') ?? '';
      expect(rights).toContain('\nReadWritePaths=-/home/ana/nights -/srv/archive -/tmp/metrics\n');
      expect(rights).toContain('\nUser=ana\n');
      // what lies there would be hidden from the program
      expect(rights).toContain('\nProtectHome=read-only\n');
      expect(rights).not.toMatch(/^PrivateTmp/m);
      expect(rights).toContain('\n# PrivateTmp=yes is left out: ');
    }
  });

  it('are not written with a path that they would have to quote', async () => {
    for (const folder of ['/srv/two words', "/srv/it's", '/srv/50%', '/srv/$HOME', '/srv/a;b']) {
      const places = { ...SHIPPED_PLACES, config: `${folder}/jobvault.config.yaml` };
      await expect(nightlyFiles({ ...places, scheduler })).rejects.toThrow(
        /has a character that crontabs or units would have to quote; allowed are letters, digits and/,
      );
    }
  });
});
