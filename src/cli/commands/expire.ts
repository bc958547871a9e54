/** Plans or carries out the erasure of old sessions. */
import { expireSettings } from '../../config/rewrite-settings.js';
import { UsageError } from '../../base/error.js';
import { daysText, floorText } from '../../archive/notes/retention-text.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { EXIT } from '../exit-code.js';
import { withArchive } from '../input/access.js';
import { recordedPerson } from '../input/recorded-person.js';
import { consent } from '../input/confirm.js';
import { readHolds } from '../input/hold-file.js';
import { visibleLine } from '../../base/text/visible.js';
import { expireQuestion, expireView } from '../output/reports/expire-report.js';

export const expireCommand = defineCommand({
  usage: 'expire [archive]',
  describe: 'Remove old sessions from the archive (--older-than); shows them, and asks',
  positionals: {
    archive:
      'The archive: a directory or s3://bucket/prefix; default of --dry-run: out of the configuration',
  },
  archiveOfSettings: 'to-read',
  settings: expireSettings,
  examples: {
    'jobvault expire ./archive --older-than 7y --dry-run':
      'shows what would be erased, and what stays although it is old',
    'jobvault expire ./archive --older-than 7y':
      'shows it, asks, and erases; exit code 7 when a session was refused',
    'jobvault expire ./archive --min-retention 6y --reason "SEC 17a-4"':
      'from now on, expire refuses a shorter --older-than',
    'jobvault expire ./archive --older-than 90d --user ada --yes': 'one person; asks nobody',
  },
  run: async (invocation) => {
    const { settings } = invocation;
    const { olderThanMs, minRetentionMs, dryRun } = settings;
    if (minRetentionMs !== undefined) return setFloor(invocation, minRetentionMs);
    if (olderThanMs === undefined)
      throw new UsageError(
        '--older-than is missing; give it (erase sessions in which everything is older than this: 7y, 90d)',
      );
    const ask = dryRun ? undefined : consent(invocation);
    const holds = await readHolds(settings);
    const person = settings.dryRun ? undefined : recordedPerson(settings.by);
    const summary = await withArchive(invocation, (archive) =>
      archive.expire({
        olderThanMs,
        dryRun,
        holds,
        users: settings.users,
        reason: settings.reason,
        by: person?.name ?? settings.by,
        trustThisClock: settings.trustThisClock,
        allowUnknownHolds: settings.allowUnknownHolds,
        noWait: settings.noWait,
        confirm:
          ask && ((plan) => ask((isAgreed) => expireView(plan, isAgreed), expireQuestion(plan))),
      }),
    );
    const { status, planned } = summary;
    if (summary.receipt !== null) person?.recorded(invocation.logger);
    const view = expireView(summary);
    const hint =
      status === 'planned' && planned > 0 ? ['\nTo erase, run it without --dry-run.'] : [];
    return {
      exitCode: status === 'refused' || status === 'declined' ? EXIT.refused : EXIT.complete,
      value: summary,
      view: { ...view, lines: [...(view.lines ?? []), ...hint] },
    };
  },
});

/** @throws {UsageError} an expiry is asked for as well, or no reason is given */
async function setFloor(
  invocation: Invocation<typeof expireSettings>,
  minMs: number,
): Promise<CommandResult> {
  const { olderThanMs, users, dryRun, reason, by } = invocation.settings;
  if (olderThanMs !== undefined || users !== undefined || dryRun) {
    throw new UsageError(
      '--min-retention erases nothing and takes --reason and --by; leave out --older-than, --user and --dry-run',
    );
  }
  if (reason === undefined) throw new UsageError('--min-retention needs --reason');
  const person = recordedPerson(by);
  const floor = await withArchive(invocation, (archive) =>
    archive.setMinRetention({ minMs, reason, by: person.name }),
  );
  person.recorded(invocation.logger);
  const before =
    floor.replaced === null ? '' : `, before: ${visibleLine(floorText(floor.replaced))}`;
  return {
    value: { status: 'recorded', ...floor },
    view: {
      headline: `Recorded in commit ${floor.commit}: everything is kept for at least ${daysText(minMs)}${before}. expire takes nothing younger; erase still does what a request asks for.`,
    },
  };
}
