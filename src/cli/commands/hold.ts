/** The commands of `hold`: add, release and list. */
import { groupBy } from '../../base/group-by.js';
import { agreeing, counted } from '../../base/text/counted.js';
import { counting } from '../../model/user-spelling.js';
import { givenValue } from '../../config/resolve-settings.js';
import { shortHoldId, type BindingHold } from '../../archive/holds/holds.js';
import type { ReleasePlan } from '../../archive/holds/freed-sessions.js';
import type { HoldRecord } from '../../archive/log/notes.js';
import type { RequestRecord } from '../../archive/log/request-history.js';
import { holdAddSettings, holdReleaseSettings } from '../../config/hold-settings.js';
import { storageSettings } from '../../config/storage-settings.js';
import type { OpenArchive } from '../../library/open-archive.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { EXIT } from '../exit-code.js';
import { withArchive } from '../input/access.js';
import { consent } from '../input/confirm.js';
import { type RecordedPerson, recordedPerson } from '../input/recorded-person.js';
import { toldApart } from '../../archive/reading/caveats/told-apart.js';
import { noneText } from '../output/texts/archive-texts.js';
import { visibleLine } from '../../base/text/visible.js';
import type { View } from '../output/view.js';

const HELD = {
  done: 'Held',
  meaning: [
    'From now on, jobvault will not erase them from this archive, nor delete them from the service with it; other tools, and other archives such as a copy of this one, are not stopped.',
  ],
};
/** What is said of a hold for no request. */
const TOLD_TO_ALL =
  'Its reason and who asked for it will stand in every evidence pack, workbook and report about them, whichever request that is for; --request keeps them out of those for other requests.';
const RELEASED = { done: 'Released', meaning: [] };

export const holdAddCommand = defineCommand({
  usage: 'hold add <archive>',
  describe: 'Put users or sessions on hold: nothing deletes or erases them',
  settings: holdAddSettings,
  examples: {
    'jobvault hold add ./archive --user ada --reason "Matter 2026-114"':
      'nothing of this user is deleted or erased until the hold is released',
    'jobvault hold add ./archive --session 0b6f… --reason audit --by "Ada Lovelace" --asked-by "Grace Hopper"':
      'one session; who sets the hold, and who asked for it',
    'jobvault hold add ./archive --request "Matter 2026-114"':
      'the users of a request (jobvault request new), for its reason and who asked for it',
  },
  run: (invocation) => {
    const { users, sessions, allowUnknown, request, askedBy, ...given } = invocation.settings;
    const isOfRequest = request !== undefined;
    const reason = isOfRequest ? given.reason : givenValue(holdAddSettings.reason, given.reason);
    const person = recordedPerson(given.by);
    // where nobody else has asked, who sets it has
    const isAskedByOther = isOfRequest || askedBy !== undefined;
    const by = isAskedByOther ? askedBy : person.name;
    const meaning = isOfRequest ? HELD.meaning : [...HELD.meaning, TOLD_TO_ALL];
    return changeHolds(invocation, { ...HELD, meaning, person }, (archive) =>
      archive.hold({ users, sessions, reason, by, setBy: person.name, request, allowUnknown }),
    );
  },
});

export const holdReleaseCommand = defineCommand({
  usage: 'hold release <archive>',
  describe: 'Release holds; this deletes nothing',
  settings: holdReleaseSettings,
  examples: {
    'jobvault hold release ./archive --user ada --reason "Matter 2026-114 is closed"':
      'deletes nothing; later commands may delete',
    'jobvault hold release ./archive --request "Matter 2026-114" --reason closed':
      'the holds of this request; those for others on the same users stay',
  },
  run: async (invocation) => {
    const { users, sessions, holds, request, all, reason, dryRun } = invocation.settings;
    const person = recordedPerson(invocation.settings.by);
    const by = person.name;
    let planned: ReleasePlan | undefined;
    const confirm = (plan: ReleasePlan): Promise<boolean> => {
      planned = plan;
      if (dryRun) return Promise.resolve(false);
      const question = `Release ${counted(plan.holds.length, 'hold')}?`;
      const why = 'what it frees may be deleted then, and there is no terminal to ask at';
      return consent(invocation, why)((isAgreed) => planView(plan, isAgreed), question);
    };
    let released: readonly HoldRecord[] = [];
    const result = await changeHolds(invocation, { ...RELEASED, person }, async (archive) => {
      const choices = { users, sessions, holds, request, reason, by, all, confirm };
      const done = await archive.release(choices);
      released = done;
      return done;
    });
    if (planned === undefined) return result;
    const undone = dryRun ? 'planned' : 'declined';
    return releaseResult(result, planned, released.length > 0 ? 'released' : undone);
  },
});

/** Conversations that a plan names; --json has all. */
const NAMED = 20;

function planView({ holds, freed, open_requests: names }: ReleasePlan, isAgreed: boolean): View {
  const once = counting(freed);
  const jobs = once.reduce((sum, session) => sum + session.jobs, 0);
  const counts = `${counted(once.length, 'conversation')}, ${counted(jobs, 'question')}`;
  const head = isAgreed
    ? 'Plan, carried out now (--yes): releases'
    : 'Plan, nothing is released; would release';
  const items = once.map(({ user, session, jobs: questions }) => {
    const what = `conversation ${visibleLine(session)} of ${visibleLine(user)}`;
    return `${what} (${counted(questions, 'question')})`;
  });
  const erased = once.filter((session) => session.was_erased).length;
  const again = `${counted(erased, 'conversation')} of these had been erased, and exports skip ${agreeing(erased, 'it', 'them')} no more: erase ${agreeing(erased, 'it', 'them')} again where ${agreeing(erased, 'it is', 'they are')} to go.`;
  const requests = names.map((name) => `“${visibleLine(name)}”`).join(', ');
  const [which, isOpen, it] =
    names.length === 1
      ? ['Request', 'is open and', 'it']
      : ['Requests', 'are open and', 'one of them'];
  const frees =
    freed.length === 0
      ? 'It frees nothing: other holds keep all of it, or nothing of it is archived.'
      : `Nothing keeps these any more, and they may be deleted and erased: ${counts}`;
  return {
    headline: `${head} ${counted(holds.length, 'hold')} (${holds.map(heldSubject).map(visibleLine).join(', ')})\n${frees}`,
    lists: [{ items, most: NAMED }],
    lines: [
      ...(erased === 0 ? [] : [again]),
      ...(names.length === 0
        ? []
        : [
            `${which} ${requests} ${isOpen} about them: what is erased is in nothing that is made for ${it} later.`,
          ]),
    ],
  };
}

/** After a no, or with `--dry-run`, nothing was changed. */
function releaseResult(
  result: CommandResult,
  plan: ReleasePlan,
  status: 'released' | 'planned' | 'declined',
): CommandResult {
  const { freed, open_requests } = plan;
  const value = { ...result.value, status, freed, open_requests };
  if (status === 'released') return { ...result, value };
  const planned = { ...value, holds: plan.holds.map(holdFacts) };
  return status === 'planned'
    ? { value: planned, view: planView(plan, false) }
    : { exitCode: EXIT.refused, value: planned, note: 'Nothing was released.' };
}

const HEADINGS = ['hold', 'held', 'since', 'by', 'reason', 'released'];
const SPARE = ['by', 'since'];

export const holdListCommand = defineCommand({
  usage: 'hold list [archive]',
  describe: 'List the holds of the archive, also those that were released',
  settings: storageSettings,
  examples: {
    'jobvault hold list ./archive --json': 'every hold, also those that were released',
  },
  onlyReads: () => true,
  run: (invocation) =>
    withArchive(invocation, async (archive) => {
      const holds = await archive.bindingHolds();
      const requests = await archive.requests();
      const rows = holds.map((hold) => [
        shortHoldId(hold),
        boundSubjects(hold),
        hold.since.slice(0, 10),
        personText(hold, requests),
        reasonText(hold, requests),
        releaseText(hold),
      ]);
      return {
        value: { holds: holds.map(holdFacts) },
        view: {
          headline: rows.length === 0 ? noneText(archive, 'holds') : undefined,
          table: { headings: HEADINGS, rows, spare: SPARE },
        },
      };
    }),
});

/** `for Grace (request Matter 7), set by Dana` where both are known */
function personText(hold: HoldRecord, requests: readonly RequestRecord[]): string {
  const { by, set_by: setter, request } = hold;
  if (setter === undefined) return by;
  const found = requests.find(({ id }) => id === request);
  if (setter === by && !found) return by;
  return `for ${by}${found ? ` (request ${found.name})` : ''}, set by ${setter}`;
}

/** `Art. 15 GDPR (request Matter 7)`, unless its person says the request */
function reasonText(hold: HoldRecord, requests: readonly RequestRecord[]): string {
  const { reason, request, set_by: setter } = hold;
  const found = requests.find(({ id }) => id === request);
  return found && setter === undefined ? `${reason} (request ${found.name})` : reason;
}

/** `2026-11-25 by Grace: the matter is closed`; empty while the hold binds. */
function releaseText({ release }: HoldRecord): string {
  return release === null ? '' : `${release.at.slice(0, 10)} by ${release.by}: ${release.reason}`;
}

async function changeHolds(
  invocation: Invocation<
    Omit<typeof holdReleaseSettings, 'all' | 'reason' | 'holds' | 'request' | 'dryRun' | 'yes'>
  >,
  {
    done,
    meaning,
    person,
  }: {
    readonly done: string;
    readonly meaning: readonly string[];
    readonly person: RecordedPerson;
  },
  change: (archive: OpenArchive) => Promise<HoldRecord[]>,
): Promise<CommandResult> {
  const { changed, binding, spellings, skipped, samePersons } = await withArchive(
    invocation,
    async (archive) => {
      const binding = (await archive.holds()).filter(({ release }) => release === null);
      const changed = await change(archive);
      const users = changed.flatMap(({ user, release }) => (release === null && user) || []);
      const skipped = await archive.mayComeBack(users);
      const ids = new Set(changed.map(({ id }) => id));
      const bound = users.length === 0 ? [] : await archive.bindingHolds();
      const made = bound.filter((hold) => ids.has(hold.id));
      const beside = (whom: 'spellings' | 'samePersons') => {
        const found = new Set(made.flatMap((hold) => [...hold[whom]]));
        return [...found].filter((user) => !users.some((one) => one === user));
      };
      const [spellings, samePersons] = [beside('spellings'), beside('samePersons')];
      return { changed, binding, spellings, skipped, samePersons };
    },
  );
  const before = new Set(binding.map(({ id }) => id));
  const isOld = ({ id, release }: HoldRecord) => release === null && before.has(id);
  const last = changed.find((hold) => !isOld(hold));
  const commit = last ? (last.release?.commit ?? last.commit) : null;
  const subjectsOf = (holds: readonly HoldRecord[]) =>
    [...new Set(holds.map(heldSubject))].join(', ');
  const made = changed.filter((hold) => !isOld(hold));
  if (made.length > 0) person.recorded(invocation.logger);
  return {
    value: {
      commit,
      holds: changed.map(holdFacts),
      ...(spellings.length > 0 && { other_spellings: spellings }),
      ...(samePersons.length > 0 && { same_persons: samePersons }),
      ...(skipped > 0 && { may_come_back: skipped }),
    },
    view: {
      lines: [
        ...changed.filter(isOld).map(alreadyText),
        ...(made.length === 0
          ? []
          : [`${done} in commit ${commit}: ${subjectsOf(made)}`, ...meaning]),
        ...(spellings.length === 0
          ? []
          : [
              `Held with them, as another spelling: ${spellings.map((user) => `user ${visibleLine(toldApart(user))}`).join(', ')}`,
            ]),
        ...(samePersons.length === 0
          ? []
          : [
              `Held with them, as they count as the same person by conversations in common, directly or through other users: ${samePersons.map((user) => `user ${visibleLine(user)}`).join(', ')}`,
            ]),
        ...(skipped === 0 ? [] : [comesBackText(skipped)]),
        ...othersLines(made, binding),
      ],
    },
  };
}

/** What is held must not be missed: it comes back, and whoever had it erased hears of it before. */
function comesBackText(skipped: number): string {
  return `Exports skip up to ${counted(skipped, 'erased conversation')} that may be theirs (erase --suppress). While this hold binds, the next export archives again what the service still has of these, and keeps it as any other from then on.`;
}

/** Each hold is released on its own: what others hold stays. */
function othersLines(made: readonly HoldRecord[], binding: readonly HoldRecord[]): string[] {
  const subjects = new Set(made.map(heldSubject));
  const ids = new Set(made.map(({ id }) => id));
  const others = binding.filter((hold) => !ids.has(hold.id) && subjects.has(heldSubject(hold)));
  const bySubject = groupBy(others, heldSubject);
  if (bySubject.size === 0) return [];
  const named = [...bySubject].map(([what, holds]) => `${what} (${counted(holds.length, 'hold')})`);
  return [`Other holds stay until each is released: ${named.join(', ')}`];
}

function alreadyText(hold: HoldRecord): string {
  return `Already held since ${hold.since.slice(0, 10)} for the same reason, asked for by ${hold.by}: ${heldSubject(hold)}`;
}

/** One of the two ids is null; `set_by` is null where the log does not say it; `request_id` is null without a request, `released_at` is null while the hold binds. */
export function holdFacts(hold: HoldRecord | BindingHold) {
  const { id, user, session, reason, by, set_by: setter, request, since, release } = hold;
  return {
    hold_id: id,
    user_id: user,
    session_id: session,
    reason,
    by,
    set_by: setter ?? null,
    request_id: request,
    since,
    released_at: release?.at ?? null,
    released_by: release?.by ?? null,
    release_reason: release?.reason ?? null,
    ...('samePersons' in hold && {
      other_spellings: [...hold.spellings],
      same_persons: [...hold.samePersons],
    }),
  };
}

/** `user tom, with Tom as another spelling and lena as the same person` */
function boundSubjects(hold: BindingHold): string {
  const spellings = [...hold.spellings].map(toldApart);
  const same = [...hold.samePersons];
  const others = [
    ...(spellings.length === 0 ? [] : [`${spellings.join(', ')} as another spelling`]),
    ...(same.length === 0 ? [] : [`${same.join(', ')} as the same person`]),
  ];
  return `${heldSubject(hold)}${others.length === 0 ? '' : `, with ${others.join(' and ')}`}`;
}

export function heldSubject({ user, session }: HoldRecord): string {
  return user === null ? `conversation ${session ?? ''}` : `user ${user}`;
}
