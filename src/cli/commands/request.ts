/** The commands of `request`: new, show, close and list. */
import type { HoldRecord } from '../../archive/log/notes.js';
import type {
  RequestDecision,
  RequestErasure,
  RequestPack,
  RequestRecord,
  RequestSearch,
} from '../../archive/log/request-history.js';
import { lostOfRequest, workFor, workText } from '../../archive/notes/change-requests.js';
import { backTexts } from '../../archive/reading/requests/erased-and-back.js';
import type { RestOfRequest } from '../../archive/reading/requests/rest-of-request.js';
import { type NextStep, onArchive, step } from '../../base/next-step.js';
import {
  requestCloseSettings,
  requestDecideSettings,
  requestNewSettings,
} from '../../config/hold-settings.js';
import { storageSettings } from '../../config/storage-settings.js';
import type { OpenArchive } from '../../library/open-archive.js';
import { aboutRequest, chosenFor } from '../../search/search-choice.js';
import { hitCountText } from '../../search/search-facts.js';
import type { OtherSpelling } from '../../archive/reading/users/listed-again.js';
import { SEVERITY_WORDS } from '../../archive/reading/caveats/caveat-text.js';
import { defineCommand } from '../command.js';
import { withArchive } from '../input/access.js';
import { recordedPerson } from '../input/recorded-person.js';
import { confirm } from '../input/confirm.js';
import { canAsk } from '../input/questions.js';
import { UsageError } from '../../base/error.js';
import { ERASED } from '../../model/ids.js';
import { clauses } from '../../base/text/clauses.js';
import { counted } from '../../base/text/counted.js';
import { minuteText } from '../../model/times/timestamp.js';
import type { Fact } from '../output/aligned.js';
import { visibleLine } from '../../base/text/visible.js';
import { noneText } from '../output/texts/archive-texts.js';
import { spellingsText } from '../output/texts/spelling-texts.js';
import { ending, eraseAgain } from '../output/texts/back-texts.js';
import { backByReceipt, receiptNotes } from '../output/texts/receipt-texts.js';
import { lostText, requestStateTexts } from '../../archive/reading/requests/request-state.js';
import { butBackLines } from '../output/texts/suppressed-texts.js';
import type { View } from '../output/view.js';
import { heldSubject, holdFacts } from './hold.js';

const positionals = {
  name: 'What the request is called, such as "Matter 2026-114", or its id',
};

export const requestNewCommand = defineCommand({
  usage: 'request new <archive> <name>',
  describe: 'Record a request: who asked, why, and which people, words and period it is about',
  positionals: { name: 'What the request is called, such as "Matter 2026-114"' },
  settings: requestNewSettings,
  examples: {
    'jobvault request new ./archive "Matter 7" --user ada --match \'"project x"\' --from 2026-01 --to 2026-03 --by "Grace Hopper" --reason "Art. 15 GDPR"':
      'hold add, search and evidence take it with --request "Matter 7"',
  },
  run: async (invocation) => {
    const { settings, positionals: given, logger } = invocation;
    const { users, sessions, match, from, to, reason } = settings;
    const { name: by, recorded } = recordedPerson(settings.by);
    const { request, others } = await withArchive(invocation, async (archive) => {
      const asked = { users, sessions, match, in: settings.in, from, to, reason, by };
      const request = await archive.newRequest({ name: given.name, ...asked });
      return { request, others: await archive.otherSpellings(request.users) };
    });
    recorded(logger);
    return {
      value: { ...requestFacts(request, [], NOTHING_LEFT), other_spellings: others },
      view: {
        headline: `Recorded in commit ${request.commit}: request ${visibleLine(request.name)} about ${visibleLine(aboutRequest(request))}`,
        lines:
          others.length === 0
            ? []
            : [`Not in it: ${spellingsText(others, CLOSE_AND_RECORD) ?? ''}`],
      },
    };
  },
});

export const requestShowCommand = defineCommand({
  usage: 'request show <archive> <name>',
  describe: 'Show a request with its holds, searches, packs and erasures',
  positionals,
  settings: storageSettings,
  examples: {
    'jobvault request show ./archive "Matter 7"': 'its holds, searches, packs and erasures',
  },
  onlyReads: () => true,
  run: (invocation) => {
    return withArchive(invocation, async (archive) => {
      const request = await archive.request(invocation.positionals.name);
      const holds = await holdsOf(archive, request);
      const key = await archive.signedBy(request.commit);
      const others = await archive.otherSpellings(request.users);
      const left = await archive.restOfRequest(request);
      const backOf = await backOfEach(archive, request, left);
      const facts = requestFacts(request, holds, { left, backOf });
      return {
        value: { ...facts, other_spellings: others, signed_by: key },
        view: {
          ...requestView(request, holds, { key, others, backOf, left }),
          lines: butBackLines(left.may_come_back),
        },
      };
    });
  },
});

const DECISIONS = ['withhold', 'redact', 'include'] as const;
const MEANINGS = {
  withhold: 'It is in nothing that is made for this request; what is made counts it, and says why.',
  redact: 'What is made for this request has neither its texts nor its files, and says why.',
  include: 'What is made for this request shows it as it is.',
} as const;

export const requestDecideCommand = defineCommand({
  usage: 'request decide <archive> <name> <decision>',
  describe:
    'Withhold, redact or include a conversation or a question in what is made for a request',
  positionals: {
    ...positionals,
    decision: 'withhold (leave it out), redact (without texts and files) or include',
  },
  settings: requestDecideSettings,
  examples: {
    'jobvault request decide ./archive "Matter 7" withhold --session 0b6f… --reason "privileged: advice of counsel"':
      'packs, workbooks and reports for the request leave the conversation out, and say so',
    'jobvault request decide ./archive "Matter 7" redact --session 0b6f… --job c0ff… --reason "third party"':
      'one question, without its texts and files',
  },
  run: async (invocation) => {
    const { settings, positionals: given, logger } = invocation;
    const { session, job, reason } = settings;
    const decision = DECISIONS.find((known) => known === given.decision);
    if (decision === undefined) {
      throw new UsageError(
        `the decision is ${JSON.stringify(given.decision)}; allowed is ${DECISIONS.join(', ')}`,
      );
    }
    const { name: by, recorded } = recordedPerson(settings.by);
    const choice = { request: given.name, session, job, decision, reason, by };
    const request = await withArchive(invocation, (archive) => archive.decideForRequest(choice));
    recorded(logger);
    const made = request.decisions.at(-1);
    return {
      value: { request: request.name, decision: made && workFacts(made) },
      view: {
        headline: `Recorded for request ${visibleLine(request.name)}: ${made ? decisionText(made) : ''}`,
        lines: [MEANINGS[decision]],
      },
    };
  },
});

/** `withhold conversation s1, question j1: privileged` */
function decisionText({ decision, session, job, reason }: RequestDecision): string {
  const question = job === null ? '' : `, question ${job}`;
  return visibleLine(`${decision} conversation ${session}${question}: ${reason}`);
}

export const requestCloseCommand = defineCommand({
  usage: 'request close <archive> <name>',
  describe: 'Close a request; the holds that were set for it stay unless you release them',
  positionals,
  settings: requestCloseSettings,
  examples: {
    'jobvault request close ./archive "Matter 7" --reason answered':
      'says which holds stay in force; on a terminal it asks',
    'jobvault request close ./archive "Matter 7" --reason answered --release-holds':
      'releases the holds that were set for it as well',
  },
  run: async (invocation) => {
    const { settings, positionals: given, terminal, logger } = invocation;
    const { reason } = settings;
    const { name: by, recorded } = recordedPerson(settings.by);
    const name = given.name;
    const { closed, left, backOf } = await withArchive(invocation, async (archive) => {
      const binding = inForce(await holdsOf(archive, await archive.request(name)));
      const asks = !settings.releaseHolds && binding.length > 0 && canAsk(terminal);
      const releaseHolds = asks
        ? await confirm(`Release ${heldText(binding)} as well?`, terminal)
        : settings.releaseHolds;
      const closing = await archive.closeRequest({ name, reason, by, releaseHolds });
      const left = await archive.restOfRequest(closing.request);
      return { closed: closing, left, backOf: await backOfEach(archive, closing.request, left) };
    });
    recorded(logger);
    const { request, released, held } = closed;
    const facts = requestFacts(request, [...released, ...held], { left, backOf });
    const never = neverErased(request, left.rest);
    return {
      value: facts,
      view: {
        headline: `Closed in commit ${request.closed?.commit ?? 0}: request ${visibleLine(request.name)}`,
        lines: [
          ...withoutErasure(request),
          ...(never === null ? [] : [`But ${never}`]),
          ...backTexts(left).map((text) => `But ${text}.`),
          ...butBackLines(left.may_come_back),
          ...(released.length === 0 ? [] : [`Released with it: ${heldText(released)}`]),
          ...(held.length === 0 ? [] : [`Still on hold: ${heldText(held)}.`]),
        ],
        next:
          held.length === 0
            ? ending(eraseAgain(left.again))
            : step`${onArchive('hold release', '--request', request.name, '--reason', 'TEXT', ...keyWords(settings))} ends that.`,
      },
    };
  },
});

/** Nothing but its record is there yet. */
const CLOSE_AND_RECORD = 'close this request and record another that names both';

/** Erasures are recorded with their request, so whoever closes it first has to record another. */
const NO_ERASURE =
  'Nothing was erased for it, and nothing can be any more: if it asked for an erasure, record another request (jobvault request new) and erase for that one before it is closed.';

const ERASED_OTHERWISE =
  'No erasure is recorded with it: everything that it is about was erased all the same, for another request or for none.';

/** What is said of a request for which nothing was erased. */
function withoutErasure(request: RequestRecord): string[] {
  if ((request.erasures ?? []).length > 0) return [];
  return [lostOfRequest(request) === 'whom' ? ERASED_OTHERWISE : NO_ERASURE];
}

/** A signed archive takes no release without the key. */
function keyWords({ signingKey }: { readonly signingKey?: string | undefined }): string[] {
  return signingKey === undefined ? [] : ['--signing-key', signingKey];
}

const HEADINGS = ['request', 'since', 'asked by', 'about', 'made for it', 'closed'];
const SPARE = ['asked by', 'about', 'since'];

export const requestListCommand = defineCommand({
  usage: 'request list [archive]',
  describe: 'List the requests of the archive, also those that are closed',
  settings: storageSettings,
  examples: {
    'jobvault request list ./archive --json': 'every request, with what was done for it',
  },
  onlyReads: () => true,
  run: (invocation) => {
    return withArchive(invocation, async (archive) => {
      const requests = await archive.requests();
      const holds = await archive.holds();
      const facts: object[] = [];
      const rows: string[][] = [];
      for (const request of requests) {
        const left = await archive.restOfRequest(request);
        const backOf = await backOfEach(archive, request, left);
        facts.push(requestFacts(request, holdsIn(holds, request), { left, backOf }));
        rows.push([
          request.name,
          request.since.slice(0, 10),
          request.by,
          visibleLine(aboutRequest(request)),
          doneText(request, left),
          request.closed === null ? '' : byText(request.closed, request.closed.at.slice(0, 10)),
        ]);
      }
      return {
        value: { requests: facts },
        view: {
          headline: rows.length === 0 ? noneText(archive, 'requests') : undefined,
          table: { headings: HEADINGS, rows, spare: SPARE },
        },
      };
    });
  },
});

/** What was made for it, and what became of it; empty of one for which nothing was done. */
function doneText(request: RequestRecord, left: RestOfRequest): string {
  const { packs, searches, erasures = [], closed } = request;
  const made = packs.length + searches.length + erasures.length === 0 ? [] : [workFor(request)];
  const state = { ...left, lost: lostOfRequest(request), isOpen: closed === null };
  return clauses('; ', ...made.map(workText), ...requestStateTexts(state));
}

async function holdsOf(archive: OpenArchive, request: RequestRecord): Promise<HoldRecord[]> {
  return holdsIn(await archive.holds(), request);
}

/** All that were set for it, also released ones. */
function holdsIn(holds: readonly HoldRecord[], { id }: RequestRecord): HoldRecord[] {
  return holds.filter(({ request }) => request === id);
}

/** How many sessions a hold brings back, at most, of each receipt of the request. */
function backOfEach(
  archive: OpenArchive,
  { erasures = [] }: RequestRecord,
  left: RestOfRequest,
): Promise<KnownOfRequest['backOf']> {
  return backByReceipt(archive, left.may_come_back > 0 ? erasures : []);
}

function inForce(holds: readonly HoldRecord[]): HoldRecord[] {
  return holds.filter(({ release }) => release === null);
}

/** `2 holds (user ada, session s1)` */
function heldText(holds: readonly HoldRecord[]): string {
  return `${counted(holds.length, 'hold')} (${holds.map(heldSubject).map(visibleLine).join(', ')})`;
}

/** What is told of a request that was recorded just now: nothing was erased for it. */
const NOTHING_LEFT = {
  left: { rest: null, again: [], perhaps_back: null, may_come_back: 0 },
  backOf: () => 0,
} as const;

interface KnownOfRequest {
  /** The key that has signed its record; null where nobody has. */
  readonly key: string | null;
  /** Spellings of its users. */
  readonly others: readonly OtherSpelling[];
  /** How many conversations a hold brings back of a receipt, at most. */
  readonly backOf: (erasure: RequestErasure) => number;
  /** What its erasures have left, around holds, and what is archived again. */
  readonly left: RestOfRequest;
}

function requestView(
  request: RequestRecord,
  holds: readonly HoldRecord[],
  { key, others, backOf, left }: KnownOfRequest,
): View {
  const { commit } = request;
  const { name, reason, by, since, searches, packs, closed } = request;
  const lost = lostOfRequest(request);
  const state = closed === null ? 'open' : 'closed';
  return {
    headline: `Request ${visibleLine(name)}: ${state}`,
    facts: [
      ['asked by', `${visibleLine(by)}, recorded ${minuteText(since)}`],
      ['reason', visibleLine(reason)],
      ['about', visibleLine(aboutRequest(request))],
      ['but', closed === null && lost !== null ? lostText(lost) : null],
      ['but', neverErased(request, left.rest)],
      ...backTexts(left).map((text) => ['but', text] as const),
      ['not in it', spellingsText(others, 'record another request that names both')],
      [
        'record',
        `commit ${commit}, ${key === null ? 'not signed' : `signed with the key ${key.slice(0, 16)}…`}`,
      ],
      ...holds.map((hold) => ['hold', holdText(hold, request)] as const),
      ...searches.flatMap((search): Fact[] => [
        ['search', searchText(search)],
        ...toldRows(search),
      ]),
      ...packs.flatMap((pack): Fact[] => [
        [pack.form ?? 'pack', packText(pack)],
        ...toldRows(pack),
      ]),
      ...request.decisions.map(
        (made) =>
          [
            'decision',
            `${minuteText(made.at)} by ${visibleLine(made.by)}: ${decisionText(made)}`,
          ] as const,
      ),
      ...(request.erasures ?? []).map(
        (erasure) => ['erasure', erasureText(erasure, request.users, backOf(erasure))] as const,
      ),
      ['closed', closed && byText(closed)],
    ],
    next: nextOfRequest(restOfErasure(request, left.rest), eraseAgain(left.again)),
  };
}

/** What was held is still here; of a user whom the request names, exports go on until it is erased, too. */
function restOfErasure(
  { name, erasures = [], closed }: RequestRecord,
  rest: RestOfRequest['rest'],
): NextStep | undefined {
  if (rest === null || closed !== null) return undefined;
  const { suppressed } = erasures.at(-1) ?? {};
  const words = ['--request', name, ...(suppressed ? ['--suppress'] : [])];
  const ends = (suppressed?.users_held ?? 0) > 0 ? ', and ends that' : '';
  const erase = onArchive('erase', ...words);
  return rest === 'held'
    ? step`After the hold is released, ${erase} erases the rest${ends}`
    : step`${erase} erases the rest${ends}: no hold of the archive keeps it any more`;
}

/** Erasures are recorded with their request: what holds have kept of a closed one takes another. */
function neverErased({ closed }: RequestRecord, rest: RestOfRequest['rest']): string | null {
  if (rest === null || closed === null) return null;
  const kept =
    rest === 'held' ? 'and is on hold' : 'though no hold of the archive keeps it any more';
  return `something of what it is about was not erased for it, ${kept}: record another request (jobvault request new), and erase for that one.`;
}

function nextOfRequest(
  rest: NextStep | undefined,
  again: NextStep | undefined,
): NextStep | undefined {
  return ending(rest && again ? step`${rest}; ${again}` : (rest ?? again));
}

function holdText(hold: HoldRecord, request: RequestRecord): string {
  const { since, by, set_by: setter, release } = hold;
  const asked =
    setter === undefined || by === setter || by === request.by ? '' : `, asked by ${by}`;
  const until = release === null ? 'in force' : `released ${byText(release)}`;
  return visibleLine(
    `${heldSubject(hold)}, ${minuteText(since)} by ${setter ?? by}${asked}: ${until}`,
  );
}

function searchText(search: RequestSearch): string {
  const { at, by, commit, total, searched, matches, withheld, match } = search;
  const found = { matches: matches ?? 0, withheld };
  const looked = { total: total ?? 0, searched: searched ?? 0 };
  const counts = { ...found, ...looked, searched_in: match === null ? null : [] };
  const counted = hitCountText(counts, commit);
  return visibleLine(`${minuteText(at)} by ${by}: ${chosenFor(search)}: ${counted}`);
}

function packText(made: RequestPack): string {
  const { at, by, digest, form, sessions, jobs, artifacts, commit } = made;
  const hasFiles = form !== 'workbook' && form !== 'copy';
  const what = clauses(
    ', ',
    counted(sessions, 'conversation'),
    counted(jobs, 'question'),
    hasFiles && counted(artifacts, 'file'),
  );
  return visibleLine(`${minuteText(at)} by ${by}: ${what} of commit ${commit}; digest ${digest}`);
}

/** What was told of it: a row each, without names. */
function toldRows({ caveats }: RequestSearch | RequestPack): Fact[] {
  return caveats.map(({ severity, headline }) => {
    return ['', `- ${SEVERITY_WORDS[severity].toLowerCase()}: ${headline}`];
  });
}

function erasureText(erasure: RequestErasure, users: readonly string[], back: number): string {
  const { at, by, sessions, jobs, artifacts, receipt, commit } = erasure;
  const about = users.filter((user) => user !== ERASED);
  const what = [
    counted(sessions, 'conversation'),
    counted(jobs, 'question'),
    counted(artifacts, 'stored file'),
  ];
  const who = by === undefined ? '' : ` by ${visibleLine(by)}`;
  return `${minuteText(at)}${who}: ${what.join(', ')}${receiptNotes(erasure, { about, back })}; receipt ${receipt} in commit ${commit}`;
}

/** @param when default: to the minute, as all that `request show` tells */
function byText(
  { at, by, reason }: Pick<NonNullable<RequestRecord['closed']>, 'at' | 'by' | 'reason'>,
  when = minuteText(at),
): string {
  return visibleLine(`${when} by ${by}: ${reason}`);
}

/** In JSON: `closed_at`, `closed_by` and `close_reason` are null while it is open. */
function requestFacts(
  request: RequestRecord,
  holds: readonly HoldRecord[],
  { left, backOf }: Pick<KnownOfRequest, 'left' | 'backOf'>,
) {
  const { id, name, reason, by, users, sessions, match, from, to, since, commit, closed } = request;
  return {
    request: name,
    id,
    by,
    reason,
    since,
    commit,
    users,
    sessions,
    match,
    in: request.in,
    from,
    to,
    holds: holds.map(holdFacts),
    searches: request.searches.map(workFacts),
    packs: request.packs.map((pack) => ({ ...workFacts(pack), form: pack.form ?? 'pack' })),
    decisions: request.decisions.map(workFacts),
    erasures: (request.erasures ?? []).map((erasure) => ({
      ...erasure,
      may_come_back: backOf(erasure),
    })),
    lost: lostOfRequest(request),
    closed_at: closed?.at ?? null,
    closed_by: closed?.by ?? null,
    close_reason: closed?.reason ?? null,
    ...left,
  };
}

/** What the request says of itself, and digests, which say nothing to people. */
const OWN_FACTS: ReadonlySet<string> = new Set([
  'action',
  'id',
  'key',
  'session_digest',
  'job_digest',
]);

/** Without what the request says of itself. */
function workFacts(work: RequestSearch | RequestPack | RequestDecision): object {
  const entries = Object.entries(work);
  return Object.fromEntries(entries.filter(([key]) => !OWN_FACTS.has(key)));
}
