import type { BegunErasure } from '../../archive/log/commit.js';
import { formatByteSize } from '../../base/byte-size.js';
import { formatDuration } from '../../base/duration.js';
import { eraseSettings } from '../../config/rewrite-settings.js';
import type { EraseSummary } from '../../rewrite/erasure/erase-options.js';
import { aligned, counted } from '../output/aligned.js';
import { defineCommand } from '../command.js';
import { assertMayDelete, confirm } from '../input/confirm.js';
import { EXIT } from '../exit-code.js';
import { readHolds } from '../input/hold-file.js';
import { withArchive } from '../input/archive-argument.js';
import { printAnswer } from '../output/print-answer.js';

export const eraseCommand = defineCommand({
  positionals: { archive: 'The archive: a directory or s3://bucket/prefix' },
  settings: eraseSettings,
  examples: [
    ['jobvault erase ./archive --user ada --dry-run', 'what would go'],
    [
      'jobvault erase ./archive --user ada --reason "Art. 17 GDPR, case 2026-114"',
      'asks before; without a terminal, pass --yes',
    ],
    ['jobvault erase ./archive --session 0b6f… --yes', 'one conversation'],
  ],
  run: async (invocation) => {
    const { settings, positionals, terminal } = invocation;
    const holds = await readHolds(settings.holdFile);
    const summary = await withArchive(invocation, (archive) =>
      archive.erase({
        users: settings.user,
        sessions: settings.session,
        reason: settings.reason,
        dryRun: settings.dryRun,
        noWait: settings.noWait,
        graceMs: settings.grace,
        holds,
        allowUnknownHolds: settings.allowUnknownHolds,
        confirm: settings.yes
          ? undefined
          : (erased) => {
              // only now: who is named by mistake is told so first
              assertMayDelete(terminal, false);
              const place = positionals['archive'] ?? '';
              return confirm(`Erase ${told(erased)} from ${place} for good?`, terminal);
            },
      }),
    );
    printAnswer({ settings, terminal }, summary, () => eraseReport(summary));
    return EXIT.complete;
  },
});

function told({ sessions, jobs, artifacts }: BegunErasure['erased']): string {
  const what = [counted(sessions, 'session'), counted(jobs, 'job'), counted(artifacts, 'file')];
  return what.join(', ');
}

const HEADLINES = {
  erased: 'Erased',
  planned: 'Would erase, nothing is changed',
  declined: 'Left as it is; there would go',
  nothing: 'Nothing left to erase',
} as const;

function eraseReport(summary: EraseSummary): string {
  const { status, archive, erased, receipt, redacted, commits, kept } = summary;
  const { duration_ms: durationMs } = summary;
  const rows = Object.values(erased.rows).reduce((sum, count) => sum + count, 0);
  return [
    `${HEADLINES[status]}: ${told(erased)} of ${archive}\n`,
    aligned([
      ['rows', `${rows.toLocaleString('en-US')} in ${Object.keys(erased.rows).length} tables`],
      ['workbooks', `${erased.workbooks} rewritten`],
      [
        'files',
        `${erased.artifacts}, ${formatByteSize(erased.artifact_bytes)}, that nobody else has`,
      ],
      ...(receipt === null
        ? []
        : [
            ['receipt', `${receipt}, in commits ${commits.join(', ')}`] as const,
            ['log', `${counted(redacted, 'commit')} redacted; the chain holds`] as const,
          ]),
      ...(kept === null ? [] : [['but', kept] as const]),
      ['time', formatDuration(durationMs)],
    ]),
    ...(status === 'erased' ? [AFTERWARDS] : []),
  ].join('');
}

const AFTERWARDS = `
The service still has what it had: the next export archives it again, unless it
is deleted there or no longer asked for. Copies and backups of the archive are
not touched: bring copies up to date with jobvault copy, and let backups expire.
`;
