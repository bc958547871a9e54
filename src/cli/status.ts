import { archiveStatus } from '../archive/archive-status.js';
import type { Archive } from '../archive/archive.js';
import { sessionStatuses, type UserStatus } from '../archive/user-status.js';
import { UsageError } from '../base/usage-error.js';
import { statusSettings } from '../config/audit-settings.js';
import { asUserId } from '../model/ids.js';
import { withArchive } from './archive-argument.js';
import { defineCommand } from './command.js';
import { EXIT } from './exit-code.js';
import { statusText, userText, type UserDetail } from './status-report.js';

export const statusCommand = defineCommand({
  usage: 'status <archive>',
  describe: 'What an archive holds: users, sessions, jobs, gaps, the last runs',
  positionals: { archive: 'The archive: a directory' },
  settings: statusSettings,
  examples: [
    ['jobvault status ./archive', 'reads the log, not the files: verify does that'],
    ['jobvault status ./archive --user ada', 'each session of one user, and its gaps'],
    ['jobvault status ./archive --json', 'one line; head is what verify --expect-head takes'],
  ],
  run: async (invocation) => {
    const { settings, terminal } = invocation;
    const { signal } = terminal.interruption;
    await withArchive(invocation, async (archive) => {
      const named = new Set(settings.user);
      const users: UserStatus[] = [];
      const status = await archiveStatus(archive, {
        ...{ runs: settings.runs, signal },
        onUser: (user) => {
          if (named.has(user.user)) users.push(user);
        },
      });
      const details = await detailsOf(archive, [...named], users);
      const shown = details.length > 0 ? { ...status, details } : status;
      const text = details.length > 0 ? details.map(userText).join('\n') : statusText(status);
      terminal.stdout.write(settings.json ? `${JSON.stringify(shown)}\n` : text);
    });
    return EXIT.complete;
  },
});

/** @throws {UsageError} the archive knows nothing of one of them */
async function detailsOf(
  archive: Archive,
  named: readonly string[],
  users: readonly UserStatus[],
): Promise<UserDetail[]> {
  const unknown = named.find((name) => !users.some(({ user }) => user === name));
  if (unknown !== undefined) {
    throw new UsageError(
      `${archive.storage.location} has no user "${unknown}"; allowed is one that it holds`,
    );
  }
  return Promise.all(
    users.map(async (user) => ({
      ...user,
      detail: sessionStatuses(await archive.states.load(asUserId(user.user))),
    })),
  );
}
