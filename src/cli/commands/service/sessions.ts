/** The commands of `sessions`: one operation of the service each. */
import { oldestFirst } from '../../../model/times/oldest-first.js';
import { assertSameIdentity } from '../../../archive/open-archive.js';
import { UsageError } from '../../../base/error.js';
import {
  listSettings,
  pagingSettings,
  sessionDeletionSettings,
  newSessionSettings,
  sessionSettings,
} from '../../../config/service-command-settings.js';
import { asSessionId, type SessionId, asRunId, type UserId } from '../../../model/ids.js';
import { StaleAnswerError, staleText } from '../../../service/service-errors.js';
import { Listings } from '../../../service/page-reader.js';
import type { Invocation } from '../../command.js';
import { deleteOne } from '../../delete-one.js';
import { withArchive } from '../../input/access.js';
import { consent } from '../../input/confirm.js';
import { readHolds } from '../../input/hold-file.js';
import { fieldText } from '../../input/with-service.js';
import { secondText } from '../../output/texts/time-text.js';
import { conversationText } from '../../output/conversation-text.js';
import { listingResult, readListing } from '../../output/listing.js';
import { changedResult, createdResult, recordResult, serviceCommand } from './service-command.js';
import { fileReferences, placeKey } from '../../../flatten/file-references.js';
import { flattenJob } from '../../../flatten/flatten-job.js';
import type { JobRecord, Verbatim } from '../../../model/records.js';
import { presentableRow } from '../../../model/mask-secrets.js';
import type { Row } from '../../../model/table-schema.js';
import { blocksTable } from '../../../model/tables.js';
import { NO_BOUNDS } from '../../../model/times/time-bounds.js';
import { formatTimestamp } from '../../../model/times/timestamp.js';
import { jobWith, type JobRows } from '../../../archive/reading/rows/session-rows.js';

const SESSION = { word: 'session', idOf: asSessionId };

const FIELDS = ['id', 'name', 'output_language', 'job_mode'] as const;
const HEADINGS = ['id', 'name', 'language', 'mode'];
/** On a narrow terminal. */
const SPARE = ['mode', 'language'];

export const sessionsListCommand = serviceCommand({
  usage: 'sessions list',
  describe: 'List the sessions of a user',
  settings: listSettings,
  examples: {
    'jobvault sessions list --user ada': 'the first page, as a table; --json has every field',
    'jobvault sessions list --user ada --all --json': 'every session, one line of JSON',
    'jobvault sessions list --user ada --search sales': 'sessions whose name contains a word',
  },
  onlyReads: true,
  answer: async ({ service, userId, signal }, { settings }) => {
    const { pageSize, search } = settings;
    const reader = new Listings({ service, pageSize, signal }).sessionsOf(userId, search);
    const listed = await readListing(settings, 'session', reader);
    const rows = listed.records.map(({ value }) => FIELDS.map((field) => fieldText(value[field])));
    return listingResult(listed, { table: { headings: HEADINGS, rows, spare: SPARE } });
  },
});

export const sessionsGetCommand = serviceCommand({
  usage: 'sessions get <session>',
  describe: 'Show the name and the settings of a session',
  about: SESSION,
  examples: {
    'jobvault sessions get 0b6f… --user ada': 'one field per line; --json for programs',
  },
  onlyReads: true,
  answer: async ({ service, userId, id }) =>
    recordResult((await service.getSession({ userId, sessionId: id })).value),
});

export const sessionsCreateCommand = serviceCommand({
  usage: 'sessions create',
  describe: 'Create a session; its id is printed',
  settings: newSessionSettings,
  examples: {
    'jobvault sessions create --user ada --name "Sales, week 3"': 'prints the new id',
    'jobvault sessions create --user ada --name Umsatz --output-language DE --job-mode DATA_ANALYTICS':
      'replies in German, always analyses',
  },
  answer: async ({ service, userId }, { settings }) => {
    const { name, outputLanguage, jobMode, maxContextualJobHistory, agentId } = settings;
    const fields = { name, outputLanguage, jobMode, maxContextualJobHistory, agentId };
    return createdResult(await service.createSession({ userId, ...fields }));
  },
});

export const sessionsModifyCommand = serviceCommand({
  usage: 'sessions modify <session>',
  describe: 'Change a session; the service requires its name every time',
  about: SESSION,
  settings: sessionSettings,
  examples: {
    'jobvault sessions modify 0b6f… --user ada --name "Sales, week 4"': 'another name',
    'jobvault sessions modify 0b6f… --user ada --name Sales --max-contextual-job-history 0':
      'uses no earlier job as context',
  },
  answer: async ({ service, userId, id }, { settings }) => {
    const { name, outputLanguage, jobMode, maxContextualJobHistory } = settings;
    const fields = { name, outputLanguage, jobMode, maxContextualJobHistory };
    await service.modifySession({ userId, sessionId: id, ...fields });
    return changedResult(id);
  },
});

type Deletion = Invocation<typeof sessionDeletionSettings>;

/** @throws {UsageError} nothing says whose holds apply */
function assertHoldsNamed({ settings, terminal }: Deletion): void {
  const { out, withoutArchive, holdFile = [] } = settings;
  if (out !== undefined && withoutArchive) {
    throw new UsageError(
      `--without-archive is given, and ${out} is named as the archive whose holds apply; leave one of them out`,
    );
  }
  if (out !== undefined) return;
  if (!withoutArchive) {
    throw new UsageError(
      'no archive is named, so nobody knows whether the session is on hold; name it with --out, or pass --without-archive to check no holds',
    );
  }
  const what = holdFile.length === 0 ? 'no holds are checked' : 'only hold files are checked';
  terminal.stderr.write(`--without-archive: ${what}.\n`);
}

/**
 * Why the hold files or the log of the archive hold the session; undefined if they do not.
 *
 * @throws {UsageError} they cannot be read or match nothing, there is no such archive, it is that of another service, or
 *   it has never had the session
 * @throws {IntegrityError} the log is damaged
 */
async function whyHeld(
  invocation: Deletion,
  user: string,
  session: string,
): Promise<string | undefined> {
  const { out, baseUrl, allowUnknownHolds } = invocation.settings;
  const holds = await readHolds(invocation.settings);
  // without an archive nothing shows that a pair is one
  if (out === undefined) return holds.withUnseenPairsAsIds(() => false).reasonFor(user, session);
  const opening = { ...invocation, positionals: { archive: out } };
  const found = { isOpen: false };
  try {
    return await withArchive(opening, (archive) => {
      // the archive of another service knows nothing of the holds on this one's sessions
      const service = { baseUrl, project: null, formats: undefined };
      assertSameIdentity(archive.location, archive.identity, service);
      found.isOpen = true;
      const choices = { given: holds, allowUnknownHolds, mustBeKnown: true };
      return archive.whyHeld(user, session, choices);
    });
  } catch (error) {
    if (!(error instanceof UsageError) || found.isOpen) throw error;
    const detail = `the holds of ${out} cannot be read, so nothing was deleted: ${error.message}`;
    throw new UsageError(detail, { cause: error });
  }
}

export const sessionsDeleteCommand = serviceCommand({
  usage: 'sessions delete <session>',
  describe: 'Delete a session and its history for good; prune deletes only what is archived',
  about: SESSION,
  settings: sessionDeletionSettings,
  examples: {
    'jobvault sessions delete 0b6f… --user ada --out ./archive':
      'not if the archive has it on hold; asks, and no is exit code 7',
    'jobvault sessions delete 0b6f… --user ada --out ./archive --yes': 'asks nobody',
    'jobvault sessions delete 0b6f… --user ada --without-archive': 'checks no holds',
  },
  begin: (invocation) => {
    assertHoldsNamed(invocation);
    return invocation.settings.dryRun ? undefined : consent(invocation);
  },
  answer: ({ service, userId, id }, invocation, ask) => {
    const session = { userId, sessionId: id };
    const find = async (outcome = '') => {
      const { value, served } = await service.getSession(session);
      if (served.stale === undefined) return value;
      throw new StaleAnswerError(`${outcome}${staleText(id, served.stale)}`);
    };
    const describe = async () => {
      const value = await find('nothing was deleted: ');
      const name = JSON.stringify(fieldText(value.name));
      return `session ${id} ${name} of user ${userId} and its whole history`;
    };
    return deleteOne(invocation, {
      id,
      ask,
      describe,
      whyHeld: () => whyHeld(invocation, userId, id),
      remove: () => service.deleteSession(session),
      find,
    });
  },
});

export const sessionsHistoryCommand = serviceCommand({
  usage: 'sessions history <session>',
  describe: 'Print the questions and answers of a session, as the service has them now',
  about: SESSION,
  settings: pagingSettings,
  examples: {
    'jobvault sessions history 0b6f… --user ada': 'one page of jobs, oldest first',
    'jobvault sessions history 0b6f… --user ada --all --json': 'every job, one line of JSON',
  },
  onlyReads: true,
  answer: async ({ service, userId, id: sessionId, signal }, { settings }) => {
    const { pageSize } = settings;
    const reader = new Listings({ service, pageSize, signal }).historyOf(userId, sessionId);
    const listed = await readListing(settings, 'job', reader);
    const session = { name: 'As the service has it now', session_id: sessionId, user_id: userId };
    const jobs = settings.json ? [] : liveJobs(listed.records, { userId, sessionId });
    return listingResult(listed, {
      headline: [...conversationText({ session, jobs })].join('').trimEnd(),
    });
  },
});

interface Place {
  readonly userId: UserId;
  readonly sessionId: SessionId;
}

/** Oldest first. URLs of files are left out: they hold signatures. */
function liveJobs(records: readonly Verbatim<JobRecord>[], place: Place): JobRows[] {
  const shown = new Map<Row, JobRows>(
    records.map((record, index) => {
      const jobRows = shownJob(record, index, place);
      return [jobRows.job, jobRows] as const;
    }),
  );
  return oldestFirst([...shown.keys()]).flatMap((job) => shown.get(job) ?? []);
}

function shownJob(record: Verbatim<JobRecord>, jobIndex: number, place: Place): JobRows {
  const references = fileReferences(record);
  const facts = { status: 'unresolved', reason: null } as const;
  const { tables } = flattenJob({
    ...place,
    record,
    place: { index: jobIndex, bounds: NO_BOUNDS },
    jobId: record.value.job_id,
    jobVersion: 1,
    runId: asRunId(''),
    exportedAt: 0n,
    isSettled: true,
    contentHash: '',
    files: new Map(references.map((reference) => [placeKey(reference), facts])),
  });
  const rowsOf = (name: string): readonly Row[] =>
    Array.from(tables.find(({ table }) => table.name === name)?.rows ?? []);
  const [job = {}] = rowsOf('jobs');
  return jobWith(job, {
    blocks: rowsOf('blocks').map((row) => presentableRow(blocksTable, row)),
    artifacts: rowsOf('artifacts').map(notDownloaded),
  });
}

function notDownloaded(artifact: Row): Row {
  const until = artifact['expires_at'];
  const reason =
    typeof until === 'bigint'
      ? `its URL expires at ${secondText(formatTimestamp(until))}`
      : 'its URL does not tell when it expires';
  return { ...artifact, status: 'a file of the service', reason };
}
