/** Erases persons or sessions from an archive after confirmation. */
import type { BegunErasure } from '../../archive/log/commit.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import { handedOver, workFor } from '../../archive/notes/change-requests.js';
import { backTexts } from '../../archive/reading/requests/erased-and-back.js';
import { asConfigured, commandText, NO_PLACE, onArchive, shellWord } from '../../base/next-step.js';
import { formatDuration } from '../../base/units.js';
import { formatByteSize } from '../../base/byte-size.js';
import { eraseSettings } from '../../config/rewrite-settings.js';
import type { KeptSession } from '../../rewrite/erasure/except-held.js';
import type {
  ErasedSession,
  EraseSummary,
  JobsInScope,
} from '../../rewrite/erasure/erase-options.js';
import { sessionsAtService } from '../../rewrite/erasure/erase-options.js';
import type { SharingSession } from '../../rewrite/erasure/sharing-sessions.js';
import { agreeing, counted, thousands } from '../../base/text/counted.js';
import { counting } from '../../model/user-spelling.js';
import { minuteText } from '../../model/times/timestamp.js';
import { totalRows } from '../output/tally.js';
import type { View } from '../output/view.js';
import { visibleLine } from '../../base/text/visible.js';
import { liftSuppression, suppressionRows, suppressOnly } from './suppression.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { consent, type Plan } from '../input/confirm.js';
import { excludedAmong } from '../input/users.js';
import { validSettings } from '../monitors/monitored-run.js';
import { exportSettings } from '../../config/export-settings.js';
import { EXIT } from '../exit-code.js';
import { readHolds } from '../input/hold-file.js';
import { withArchive } from '../input/access.js';
import { recordedPerson } from '../input/recorded-person.js';
import { commitsText, noneText } from '../output/texts/archive-texts.js';
import { ending, eraseAgain } from '../output/texts/back-texts.js';
import { backByReceipt, receiptNotes, stayingTexts } from '../output/texts/receipt-texts.js';
import { onlyElsewhereText, questionsText, spellingsText } from '../output/texts/spelling-texts.js';
import { textsErasedHeading, textsErasedItems } from '../output/texts/erased-texts.js';
import { butBackLines, suppressedText, suppressingText } from '../output/texts/suppressed-texts.js';
import { leftOutOf, undatedRow } from '../../search/search-facts.js';
import { UsageError } from '../../base/error.js';

export const eraseCommand = defineCommand({
  usage: 'erase [archive]',
  describe:
    'Remove a person or a session from the archive for good, and leave a receipt in its log',
  positionals: {
    archive:
      'The archive: a directory or s3://bucket/prefix; default of --dry-run and --list: out of the configuration',
  },
  archiveOfSettings: 'to-read',
  settings: eraseSettings,
  examples: {
    'jobvault erase ./archive --user ada --dry-run': 'shows what would be erased',
    'jobvault erase ./archive --user ada --reason "Art. 17 GDPR, case 2026-114"':
      'shows it, asks, and erases; no is exit code 7',
    'jobvault erase ./archive --session 0b6f… --yes': 'one conversation; asks nobody',
    'jobvault erase ./archive --user ada --suppress':
      'exports skip this user from then on; --unsuppress ends that',
    'jobvault erase ./archive --suppress-only --user ada --reason "Art. 17 GDPR"':
      'the same for a user who was erased before',
    'jobvault erase ./archive --request "Matter 2026-114"':
      'what a request is about (jobvault request new); the receipt names the request',
    'jobvault erase ./archive --request "Matter 2026-114" --except-held':
      'what is on hold stays; the receipt and the request say how much',
    'jobvault erase ./archive --list': 'for an auditor: every receipt, and who has signed it',
  },
  onlyReads: ({ list }) => list === true,
  isDryRun: ({ dryRun, list }) => dryRun === true || list === true,
  run: async (invocation) => {
    const { settings } = invocation;
    if (settings.list) return listReceipts(invocation);
    if (settings.suppressOnly) return suppressOnly(invocation);
    if (settings.unsuppress) return liftSuppression(invocation);
    const ask = settings.dryRun ? undefined : consent(invocation);
    const holds = await readHolds(settings);
    const { excludeUser, excludeUsersFile } = exportSettings;
    const excluding = validSettings({ excludeUser, excludeUsersFile }, invocation.sources);
    let made: string | null = null;
    const viewOf = async (erasure: EraseSummary): Promise<Plan> => {
      const excluded = await excludedAmong(erasure.users, excluding, invocation.terminal);
      return (isAgreed) => eraseView(erasure, { excluded, made, isAgreed });
    };
    const person = settings.dryRun ? undefined : recordedPerson(settings.by);
    const summary = await withArchive(invocation, async (archive) => {
      const { request } = settings;
      if (request !== undefined) made = madeText(await archive.request(request));
      return archive.erase({
        users: settings.users,
        sessions: settings.sessions,
        request,
        undated: settings.undated,
        exceptHeld: settings.exceptHeld,
        suppress: settings.suppress,
        reason: settings.reason,
        by: person?.name ?? settings.by,
        dryRun: settings.dryRun,
        noWait: settings.noWait,
        holds,
        allowUnknownHolds: settings.allowUnknownHolds,
        confirm: ask && (async (plan) => ask(await viewOf(plan), eraseQuestion(plan))),
      });
    });
    const view = await viewOf(summary);
    const isDone = summary.status === 'erased';
    if (isDone) person?.recorded(invocation.logger);
    const isLeft =
      (isDone && summary.still_there.length > 0) ||
      (summary.in_scope !== null && leftOutOf(staying(summary.in_scope)) > 0);
    const exitCode = isLeft ? EXIT.gaps : EXIT.complete;
    return {
      exitCode: summary.status === 'declined' ? EXIT.refused : exitCode,
      value: summary,
      view: view(false),
    };
  },
});

const COUNTED_TWICE =
  'Each receipt counts what it took. What was erased, came back with an export and was erased again is in two of them.';
const HEADINGS = ['commit', 'at', 'erased', 'by', 'reason', 'request', 'signed', 'receipt'];
const SPARE = ['receipt', 'signed', 'by'];

/** @throws {UsageError} something to erase is named as well */
async function listReceipts(invocation: Invocation<typeof eraseSettings>): Promise<CommandResult> {
  const { users = [], sessions = [], request } = invocation.settings;
  const named = [
    ...(users.length > 0 ? ['--user'] : []),
    ...(sessions.length > 0 ? ['--session'] : []),
    ...(request === undefined ? [] : ['--request']),
  ];
  if (named.length > 0) {
    throw new UsageError(
      `--list shows what was erased and erases nothing; leave out ${named.join(' and ')}`,
    );
  }
  return withArchive(invocation, async (archive) => {
    const [erasures, suppressions] = [await archive.erasures(), await archive.suppressions()];
    const back = await archive.mayComeBack();
    const backOf = await backByReceipt(archive, back > 0 ? erasures : []);
    const receipts = erasures.map((receipt) => [
      String(receipt.commit),
      minuteText(receipt.at),
      `${countsText(receipt.erased)}${receiptNotes(receipt, { back: backOf(receipt) })}${receipt.finished === null ? '; not finished' : ''}`,
      receipt.by ?? '',
      receipt.reason ?? '',
      receipt.request ?? '',
      receipt.signed_by === null ? 'no' : `${receipt.signed_by.slice(0, 16)}…`,
      receipt.receipt,
    ]);
    const rows = [...receipts, ...suppressionRows(suppressions)].toSorted(
      ([a], [b]) => Number(a) - Number(b),
    );
    return {
      value: {
        erasures: erasures.map((receipt) => ({ ...receipt, may_come_back: backOf(receipt) })),
        suppressions,
        may_come_back: back,
      },
      view: {
        headline: rows.length === 0 ? noneText(archive, 'erasures') : undefined,
        table: { headings: HEADINGS, rows, spare: SPARE },
        lines: butBackLines(back),
      },
      ...(receipts.length > 1 && { note: COUNTED_TWICE }),
    };
  });
}

/** `user ada`, `conversation s1 of ada`, `2 conversations`, `user ada and 2 conversations` */
function whomText({ users, sessions }: EraseSummary): string {
  const whose = `${users.length === 1 ? 'user' : 'users'} ${users.map(visibleLine).join(', ')}`;
  const named = new Set(users);
  const once = counting(sessions);
  const others = once.filter(({ user }) => !named.has(user));
  if (users.length > 0) {
    return others.length === 0 ? whose : `${whose} and ${counted(others.length, 'conversation')}`;
  }
  const [first] = once;
  if (!first || once.length > 1) return counted(once.length, 'conversation');
  return `conversation ${visibleLine(first.session)} of user ${visibleLine(first.user)}`;
}

/** Whom, and how much of them; conversations that are only counted are counted once. */
function whomAndHowMuch(plan: EraseSummary): string {
  const [whom, counts] = [whomText(plan), countsText(plan.erased)];
  return counts.startsWith(`${whom}, `) ? counts : `${whom} (${counts})`;
}

function eraseQuestion(plan: EraseSummary): string {
  const forWhat = plan.request === null ? '' : `, for the request ${visibleLine(plan.request)}`;
  const [held, shared] = [counting(plan.held).length, counting(plan.shared).length];
  const stays = [
    ...(held > 0 ? [`${counted(held, 'conversation')} on hold`] : []),
    ...(shared > 0 ? [`${counted(shared, 'conversation')} that somebody else lists, too`] : []),
  ];
  const kept =
    stays.length === 0
      ? ''
      : ` (${stays.join(' and ')} ${agreeing(held + shared, 'stays', 'stay')})`;
  return `Erase ${whomAndHowMuch(plan)} from ${plan.archive} permanently${kept}${forWhat}${suppressingText(plan)}?`;
}

/** Sessions that the plan names; --json has all. */
const NAMED = 50;

const TEXTS_LEFT = 'These texts stay in the log; look whether one names the person:';

function sessionItems(sessions: readonly (ErasedSession | KeptSession)[]): string[] {
  return sessions.map(({ user, session, ...kept }) => {
    const what = `conversation ${visibleLine(session)} of ${visibleLine(user)}`;
    const why = 'why' in kept ? `: ${visibleLine(kept.why)}` : '';
    return `${what} (${questionsText(kept)})${why}`;
  });
}

function keptText(sessions: readonly KeptSession[], why: string): string | null {
  if (sessions.length === 0) return null;
  const once = counting(sessions);
  const jobs = once.reduce((sum, session) => sum + session.jobs, 0);
  return `${counted(once.length, 'conversation')}, ${counted(jobs, 'question')} ${why}; an erasure after the release takes them`;
}

/** What is erased cannot be handed over any more. */
function openRequestsText({ status, ...requests }: EraseSummary): string | null {
  const names = requests.open_requests.filter((name) => !requests.requests_lost.includes(name));
  if (names.length === 0 || status === 'nothing') return null;
  const [is, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const when = status === 'erased' ? 'is no longer in what is made' : 'will not be in what is made';
  return `${quotedNames(names)} ${is} about them, too: what is erased ${when} for ${them}`;
}

/** Whoever reads it before can make what the request needs. */
function requestsLostText({ status, requests_lost: names }: EraseSummary): string | null {
  if (names.length === 0 || status === 'nothing') return null;
  const [is, their, they] = names.length === 1 ? ['is', 'its', 'it'] : ['are', 'their', 'they'];
  const [go, nothing] =
    status === 'erased'
      ? ['went', 'nothing can be made']
      : ['go', 'once this is erased, nothing can be made'];
  return `${nothing} for ${quotedNames(names)} any more: ${their} words, or whom ${they} ${is} about, ${go} with what is erased`;
}

function quotedNames(names: readonly string[]): string {
  return names.map((name) => `“${visibleLine(name)}”`).join(', ');
}

/** What people wrote may name somebody in other words than the ids: only people can tell. */
function textsItem({ kind, texts }: EraseSummary['texts_left'][number]): string {
  return `${kind}: ${texts.map((text) => `“${visibleLine(text)}”`).join(', ')}`;
}

function countsText({ sessions, jobs, artifacts }: BegunErasure['erased']): string {
  const what = [
    counted(sessions, 'conversation'),
    counted(jobs, 'question'),
    counted(artifacts, 'stored file'),
  ];
  return what.join(', ');
}

const HEADLINES = {
  erased: 'Erased',
  planned: 'Plan, nothing is erased; would erase',
  agreed: 'Plan, carried out now (--yes); erases',
  declined: 'Nothing was erased; would have erased',
  nothing: 'Nothing left to erase',
} as const;

/** What was made for the request before, and has what is erased: it is not changed. */
function madeText(request: RequestRecord): string | null {
  const made = handedOver(workFor(request));
  if (made.length === 0) return null;
  return `${made.join(', ')} for this request: not changed; request show names each`;
}

interface ViewFacts {
  /** Users whom the configuration keeps out of every export already. */
  readonly excluded: ReadonlySet<string>;
  readonly made: string | null;
  /** Whether a plan is carried out at once, without a question. */
  readonly isAgreed: boolean;
}

function eraseView(summary: EraseSummary, { excluded, made, isAgreed }: ViewFacts): View {
  const { status, archive, erased, receipt, by, redacted, commits, kept } = summary;
  const { duration_ms: durationMs } = summary;
  if (status === 'nothing' && summary.in_scope !== null)
    return nothingInScope(summary, summary.in_scope);
  const rows = totalRows(erased.rows);
  const headline = HEADLINES[isAgreed && status === 'planned' ? 'agreed' : status];
  return {
    headline: `${headline}: ${whomAndHowMuch(summary)} of ${archive}`,
    facts: [
      ['request', requestText(summary)],
      ['in scope', summary.in_scope && inScopeText(summary.in_scope)],
      ...(summary.in_scope === null ? [] : undatedLines(summary.in_scope)),
      ['rows', `${thousands(rows)} in ${Object.keys(erased.rows).length} tables`],
      [
        'files',
        `${erased.artifacts} stored, ${formatByteSize(erased.artifact_bytes)}, of no other user`,
      ],
      [
        'receipt',
        receipt &&
          `${receipt}${by === null ? '' : `, by ${visibleLine(by)}`}, in ${commitsText(commits)}`,
      ],
      ['log', receiptTexts(summary)],
      ['log', receipt && `${counted(redacted, 'commit')} redacted; the chain holds`],
      ['also', onlyElsewhereText(summary.sessions, status)],
      ['kept', keptText(summary.held, 'on hold')],
      ['kept', keptText(summary.shared, 'that somebody else lists, too')],
      ['made before', made],
      ['open request', openRequestsText(summary)],
      ['open request', requestsLostText(summary)],
      ...backTexts(summary).map((text) => ['but', text] as const),
      ['but', kept],
      ['not erased', otherSpellingsText(summary)],
      ...summary.still_there.map((session) => ['still there', stillThereText(session)] as const),
      ['time', formatDuration(durationMs)],
    ],
    lists: [
      { items: status === 'nothing' ? [] : sessionItems(summary.sessions), most: NAMED },
      { heading: 'On hold, and kept:', items: sessionItems(summary.held), most: NAMED },
      { heading: 'Not on hold, and kept:', items: sessionItems(summary.shared), most: NAMED },
      {
        heading: textsErasedHeading(summary),
        items: textsErasedItems(summary.texts_erased),
        most: NAMED,
      },
      { heading: TEXTS_LEFT, items: summary.texts_left.map(textsItem) },
    ],
    lines: [
      ...(status === 'erased'
        ? [...stillAtService(summary), afterwardsText(summary, excluded)]
        : []),
      ...(status === 'planned' && !isAgreed ? comesBackLines(summary, excluded) : []),
    ].map((line) => line.trimEnd()),
    next: ending(eraseAgain(summary.again)),
  };
}

/** Before the receipt stands. */
function receiptTexts(summary: EraseSummary): string | null {
  const { status } = summary;
  return status === 'erased' || status === 'nothing' ? null : stayingTexts(summary);
}

/** Its record has the receipt once it is put. */
function requestText({ request, status }: Pick<EraseSummary, 'request' | 'status'>): string | null {
  if (request === null) return null;
  return `${visibleLine(request)}${status === 'erased' ? '; its record names the receipt' : ''}`;
}

function inScopeText({ jobs, going, held, chosen }: JobsInScope): string {
  const found = `${counted(jobs, 'question')} ${visibleLine(chosen)}`;
  if (held === 0) return `${found}; their conversations go whole`;
  return `${found}: ${going} in conversations that go whole, ${held} on hold ${agreeing(held, 'stays', 'stay')}`;
}

/** Everything that was found is left out: an answer that nothing is there would be wrong. */
function nothingInScope({ archive, ...summary }: EraseSummary, inScope: JobsInScope): View {
  return {
    headline: `Nothing is erased of ${archive}: nothing tells of any question that is found whether it is meant`,
    facts: [
      ['request', requestText(summary)],
      ['in scope', `0 questions ${visibleLine(inScope.chosen)}`],
      ...undatedLines(inScope),
    ],
  };
}

/** Jobs whose date is unknown, without those that go with their session. */
function staying({ undated, time_unknown: unknown, go_along: along }: JobsInScope) {
  return { undated, time_unknown: unknown - along };
}

/** What becomes of jobs whose date is unknown. */
function undatedLines(inScope: JobsInScope): (readonly [string, string])[] {
  const left = undatedRow(staying(inScope));
  const along = `${counted(inScope.go_along, 'question')} whose date is unknown, in conversations that go whole`;
  return [
    ...(left ? [left] : []),
    ...(inScope.go_along === 0 ? [] : [['taken along', along] as const]),
  ];
}

/** A service may know one person by several spellings; whether it does is for people to say. */
function otherSpellingsText({ other_spellings: others }: EraseSummary): string | null {
  return spellingsText(others, 'erase it as well with --user');
}

/** Its other jobs may be its own user's: people decide what goes. */
function stillThereText({ user, session, jobs, erased_session: erased }: SharingSession): string {
  const named = `conversation ${visibleLine(session)} of ${visibleLine(user)}`;
  const what =
    session === erased
      ? `${named} is the same one, listed for this user, too, with ${counted(jobs, 'question')}`
      : `${named} has ${counted(jobs, 'question')} of conversation ${visibleLine(erased)}`;
  return `${what}, and stays: look at it (jobvault show), and erase it as well with --session`;
}

/** Said before the erasure, too: whoever reads it afterwards may be too late for the next night. */
function comesBackLines(summary: EraseSummary, excluded: ReadonlySet<string>): string[] {
  const suppressed = suppressedText(summary);
  return [...atService(summary), suppressed ?? returnsText(summary, excluded, '')];
}

/** An archive that has erased them proves no more that they may be deleted there. */
function atService({ archive, users, sessions }: EraseSummary): string[] {
  const there = sessionsAtService(sessions);
  if (there.length === 0) return [];
  const named =
    users.length > 0
      ? [...users.flatMap((user) => ['--user', visibleLine(user)]), '--all']
      : there.flatMap(({ session }) => ['--session', visibleLine(session)]);
  const are = there.length === 1 ? 'is' : 'are';
  return [
    `
Delete at the service first: ${counted(there.length, 'conversation')} of these ${are} still there, and only
an archive that has a conversation can prove that it may be deleted there.
  ${commandText(onArchive('prune', ...named), { ...NO_PLACE, archive })}`,
  ];
}

/** Prune deletes only what is archived: these are for people to delete. */
function stillAtService({ sessions }: EraseSummary): string[] {
  const there = sessionsAtService(sessions);
  if (there.length === 0) return [];
  const all = counting(sessions).length;
  const which = all === 1 ? 'The' : `${there.length} of the ${all}`;
  const erased = agreeing(all, 'erased conversation', 'erased conversations');
  const [was, its, it, they] = agreeing(
    there.length,
    'was its it it',
    'were their them they',
  ).split(' ');
  const commands = there.map(({ user, session }) => {
    const named = [session, '--user', user].map(visibleLine);
    return `  ${commandText(asConfigured('sessions delete', ...named, '--without-archive'))}`;
  });
  return [
    `
${which} ${erased} ${was} still at the service when ${its} user was listed
last. Delete ${it} there without an archive, as this one can no longer prove that
${they} may go; where a configuration names an archive, that is refused:
${commands.join('\n')}`,
  ];
}

/** @param between what stands before the ways to keep users out */
function returnsText(
  summary: EraseSummary,
  excluded: ReadonlySet<string>,
  between: string,
): string {
  const { users } = summary;
  if (areExcluded(users, excluded)) return `${STAY_OUT}${between}`;
  const text = goneText(summary) ?? (users.length > 0 ? USERS_RETURN : SESSIONS_RETURN);
  return `${text}${between}${keptOutText(users, excluded)}`;
}

/** What was deleted there, or is gone, no export can read; null where the service may still have any of it. */
function goneText({ users, sessions }: EraseSummary): string | null {
  if (sessions.length === 0 || sessionsAtService(sessions).length > 0) return null;
  const count = counting(sessions).length;
  const these = agreeing(count, 'this conversation', `these ${count} conversations`);
  const whose = agreeing(users.length, 'the user', 'these users');
  const only = users.length === 0 ? '' : `, only new ones of ${whose}`;
  return `
As far as the archive knows, the service does not have ${these} any more:
no export archives ${agreeing(count, 'it', 'them')} again${only}.
`;
}

const USERS_RETURN = `
The next export archives again what the service still has of this, unless it is
deleted there or the user is excluded from every export.
`;

const SESSIONS_RETURN = `
The next export archives again what the service still has of this, unless it is
deleted there.
`;

function areExcluded(users: readonly string[], excluded: ReadonlySet<string>): boolean {
  return users.length > 0 && users.every((user) => excluded.has(user));
}

function afterwardsText(summary: EraseSummary, excluded: ReadonlySet<string>): string {
  const suppressed = suppressedText(summary);
  return suppressed === null
    ? returnsText(summary, excluded, ELSEWHERE)
    : `${suppressed}${ELSEWHERE}`;
}

const STAY_OUT = `
No export with this configuration archives the same data again: it excludes
everybody who is named here.
`;

const ELSEWHERE = `
Copies and backups of the archive are not changed: update copies with jobvault
copy, make pseudonymised ones anew, and let backups expire. Reports, workbooks
and evidence packs that were made before are not changed either.
`;

/** More of them are better written to a file. */
const NAMED_USERS = 8;

/** What keeps the erased users out of the next night. Said here alone: the log must not name them again. */
function keptOutText(all: readonly string[], excluded: ReadonlySet<string>): string {
  const users = all.filter((user) => !excluded.has(user));
  if (users.length === 0) return '';
  if (users.length > NAMED_USERS) {
    return `
To keep these ${users.length} users out of every later run, write them to a file,
one a line, and give it to each:
  jobvault export … --exclude-users-file FILE
`;
  }
  const flags = users.map((user) => ` --exclude-user ${shellWord(visibleLine(user))}`).join('');
  const items = users.map((user) => JSON.stringify(user)).join(', ');
  return `
To keep ${users.length === 1 ? 'this user' : 'these users'} out of every later run, give it
  jobvault export …${flags}
or write into its configuration file
  exclude-user: [${items}]
`;
}
