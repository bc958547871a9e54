/** Exports from an emulator, verifies the archive and writes a report. */
import { rm } from 'node:fs/promises';
import { readIdentity } from '../../../archive/open-archive.js';
import { UsageError } from '../../../base/error.js';
import { NO_PLACE, onArchive, step } from '../../../base/next-step.js';
import { text } from '../../../config/setting.js';
import type { Emulator } from '../../../emulator/emulator.js';
import { exportToArchive } from '../../../export/export-to-archive.js';
import { openArchive } from '../../../library/operations.js';
import { openStorage } from '../../../storage/open-storage.js';
import { defineCommand } from '../../command.js';
import { EXIT, exitCodeOfExport } from '../../exit-code.js';
import { exportView } from '../../output/reports/export-report.js';
import { startProgress } from '../../output/progress/progress.js';
import { DEMO_KEY } from '../service/serve.js';
import { verifiedView } from '../../output/reports/verify-report.js';
import type { View } from '../../output/view.js';

const PROJECT = 'demo';

export const demoCommand = defineCommand({
  usage: 'demo',
  describe:
    'Try jobvault: start the emulator, archive its users, verify the archive, write a report',
  settings: {
    out: text({
      name: 'out',
      describe:
        'The directory of the archive; the report goes beside it; an earlier demo there is replaced',
      default: 'jobvault-demo',
      isFlagOnly: true,
    }),
  },
  examples: {
    'jobvault demo':
      'leaves Parquet tables and a workbook in ./jobvault-demo, a page in ./jobvault-demo-report',
  },
  run: async ({ settings, terminal, logger }) => {
    const { out } = settings;
    const { signal } = terminal.interruption;
    await removeEarlierDemo(out);
    const { startEmulator } = await import('../../../emulator/emulator.js'); // as in serve
    const emulator = await startEmulator({ odd: false });
    const progress = startProgress(terminal, logger, emulator.state.userIds().length);
    try {
      const result = await exportToArchive({
        baseUrl: emulator.baseUrl,
        apiKey: DEMO_KEY,
        project: PROJECT,
        out,
        signal,
        users: emulator.state.userIds(),
        formats: ['parquet', 'xlsx'],
        observer: progress.observer,
      });
      progress.stop();
      const exitCode = terminal.interruption.exitCode ?? exitCodeOfExport(result);
      const { error } = result;
      if (exitCode !== EXIT.complete)
        return { exitCode, errors: error === undefined ? [] : [error] };
      await using archive = await openArchive(out, { signal });
      const report = await archive.verify();
      const page = `${out.replace(/[/\\]+$/, '')}-report`;
      await archive.report(page, { title: 'jobvault demo' });
      const exported = exportView(result.summary);
      return {
        exitCode: report.problems.length > 0 ? EXIT.integrity : EXIT.complete,
        value: { ...result.summary, verified: report.problems.length === 0, report: page },
        view: {
          headline: exported.headline,
          tone: exported.tone,
          place: { ...NO_PLACE, archive: out },
          sections: [
            ...(exported.sections ?? []),
            verifiedView({ report }),
            nextSteps(out, page, emulator.state),
          ],
        },
      };
    } finally {
      progress.stop();
      await emulator.close();
    }
  },
});

/** @throws {UsageError} the place holds an archive that no demo made */
async function removeEarlierDemo(out: string): Promise<void> {
  const identity = await readIdentity(await openStorage(out));
  if (!identity) return;
  const { project, base_url: baseUrl } = identity.service;
  if (project !== PROJECT || new URL(baseUrl).hostname !== '127.0.0.1') {
    throw new UsageError(
      `${out} is an archive of ${baseUrl}, not of an earlier demo; name another place with --out`,
    );
  }
  await rm(out, { recursive: true });
}

type Seeded = Pick<Emulator['state'], 'userIds' | 'sessionIds'>;

function nextSteps(out: string, page: string, state: Seeded): View {
  const [user = ''] = state.userIds();
  const [session = ''] = state.sessionIds(user);
  const look = `jobvault query ${out} "SELECT question_text, answer_text FROM jobs LIMIT 5"`;
  return {
    headline: 'Look at it:',
    lines: [
      `  ${page}/index.html   the conversations: open it in a browser`,
      `  ${out}/workbooks/          the tables as a workbook, for Excel or LibreOffice`,
      `  ${out}/artifacts/          every table and image, named by its SHA-256`,
      step`  ${{ shell: look }}`,
      step`  ${onArchive('show', session)}`,
      step`  ${onArchive('verify')}`,
      step`  ${onArchive('drill')}   restores it from itself, and compares every row and file`,
    ],
  };
}
