/** What a night needs, written for cron: its lines are short enough to be taken. */
import { expect, it } from 'vitest';
import { nightlyFiles } from '../../../src/cli/nightly-files.js';

const NVM = '/home/operations/.nvm/versions/node/v24.11.0';
const options = (folder: string) => ({
  config: `${folder}/jobvault.config.yaml`,
  scheduler: 'cron' as const,
  out: 's3://company-archive/assistant',
  metricsDir: `${folder}/metrics`,
  user: 'jobvault',
  program: [`${NVM}/bin/node`, `${NVM}/lib/node_modules/jobvault/dist/main.js`],
});

/** The commands of a crontab. */
async function commandsIn(folder: string): Promise<string[]> {
  const files = await nightlyFiles(options(folder));
  const { text = '' } = files.find(({ path }) => path.endsWith('.crontab')) ?? {};
  const lines = text.split('\n').filter((line) => /^\d/.test(line));
  return lines.map((line) => line.replace(/^(?:\S+ ){5}/, ''));
}

it('the commands for cron are no longer than it takes, where a version manager keeps Node.js and the archive is a bucket', async () => {
  const commands = await commandsIn('/srv/company/departments/compliance/assistant-archive');
  expect(commands).toHaveLength(3);
  for (const command of commands) expect(command.length).toBeLessThanOrEqual(998);
});

it('a command that would be too long for cron is refused before anything is written', async () => {
  const folder = `/srv/${'a'.repeat(400)}`;
  await expect(commandsIn(folder)).rejects.toThrow(
    /^the command for cron to export has \d{4} characters; allowed are 998: put the configuration into a folder with a shorter path, or use --scheduler systemd$/,
  );
});
