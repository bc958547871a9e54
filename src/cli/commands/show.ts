/** Prints a conversation, or lists the sessions of an archive. */
import { dayColumns } from '../../archive/reading/known-days.js';
import { visibleId } from '../../base/text/direction.js';
import { gapCountTexts } from '../../model/gap-counts.js';
import { boundsText } from '../../model/times/timestamp.js';
import { showSettings } from '../../config/show-settings.js';
import { onArchive, step } from '../../base/next-step.js';
import { completenessOf, headlineOf } from '../../archive/reading/caveats/caveat-text.js';
import type { ListedSession } from '../../archive/reading/session-list.js';
import type { OpenArchive } from '../../library/open-archive.js';
import { withArchive } from '../input/access.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { clauses } from '../../base/text/clauses.js';
import { counted } from '../../base/text/counted.js';
import { caveatExit } from '../output/caveat-rows.js';
import { conversationJson } from '../output/conversation-json.js';
import { conversationText } from '../output/conversation-text.js';
import { placeOf } from '../command-place.js';
import { jsonPieces } from '../json-line.js';

export const showCommand = defineCommand({
  usage: 'show [archive] [session] [job]',
  describe: 'Print a session with its files; without a session, list them',
  positionals: {
    session:
      "The session's id, six or more characters of its beginning, or its exact name; without it, the sessions of the archive are listed, newest first",
    job: 'Print only this job: its id, or six or more characters of its beginning',
  },
  settings: showSettings,
  examples: {
    'jobvault show ./archive': 'lists the newest sessions; --user ada for one user',
    'jobvault show ./archive 0b6f4c':
      'prints the newest version of every job, oldest first where their order is known',
    'jobvault show ./archive "Revenue by region"': 'the session with exactly this name',
    'jobvault show ./archive 0b6f… job-cm3… --json': 'one job as JSON',
  },
  onlyReads: () => true,
  run: async (invocation) => {
    const { settings, positionals, print, sources } = invocation;
    const { session: given, job } = positionals;
    return withArchive(invocation, async (archive) => {
      if (given === undefined) return list(archive, invocation);
      const users = settings.user === undefined ? [] : [settings.user];
      const [session = given] = await archive.resolveSessions({ users, sessions: [given] });
      // the text of an answer comes from its blocks
      const omitted = settings.json ? [] : ['answer_text'];
      const shown = await archive.show(session, { users, job, omitted });
      const days = dayColumns(archive.identity.pseudonymised);
      await print(
        settings.json
          ? jsonPieces(conversationJson(shown, days), placeOf(sources))
          : conversationText(shown, days),
      );
      const { caveats } = shown;
      return { exitCode: caveatExit(caveats), view: { caveats } };
    });
  },
});

async function list(
  archive: OpenArchive,
  { settings }: Invocation<typeof showSettings>,
): Promise<CommandResult> {
  const { user, maxRows } = settings;
  const scope = { users: user === undefined ? [] : [user] };
  const most = maxRows === 0 ? undefined : maxRows;
  const { total, sessions: shown } = await archive.sessions({ ...scope, most });
  const caveats = await archive.caveats(scope);
  const areMarked = shown.some((session) => marksText(session) !== '');
  const rows = shown.map((session) => [
    visibleId(session.session_id),
    newestDay(session),
    String(session.jobs),
    ...(areMarked ? [marksText(session)] : []),
    visibleId(session.user_id),
    session.name ?? '(no name)',
  ]);
  const remarks = areMarked ? ['remarks'] : [];
  const headings = ['session', 'newest question', 'questions', ...remarks, 'user', 'name'];
  const spare = ['user', 'questions'];
  const more = total - shown.length;
  const rest = more === 0 ? '' : `; ${more} more not shown, --max-rows 0 shows all`;
  return {
    exitCode: caveatExit(caveats),
    value: { status: completenessOf(caveats), caveats, total, sessions: shown },
    view: {
      headline: headlineOf(caveats),
      table: { headings, rows, spare },
      sections: [{ caveats }],
    },
    note: step`${counted(total, 'conversation')}${rest}. To read one: ${onArchive('show', 'SESSION')}`,
  };
}

/** What is the matter with it: `gone, 2 gaps, on hold`. */
function marksText(session: ListedSession): string {
  const { gone_at: goneAt, deleted, held } = session;
  return clauses(
    ', ',
    deleted && 'deleted',
    !deleted && goneAt !== null && 'gone',
    ...gapCountTexts(session),
    held && 'on hold',
  );
}

/** The day of the newest job, or a bound on it; empty for a session without jobs. */
function newestDay(session: ListedSession): string {
  if (session.jobs === 0) return '';
  const [after, before] = [dayOf(session.newest_job_after), dayOf(session.newest_job_before)];
  return boundsText(after, before) ?? 'time unknown';
}

function dayOf(time: string | null): string | null {
  return time === null ? null : time.slice(0, 10);
}
