/** What an erasure says of whom exports skip from then on, and of whom they do not. */
import { commandText, NO_PLACE, onArchive } from '../../../base/next-step.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import type { EraseSummary, Suppressed } from '../../../rewrite/erasure/erase-options.js';
import { visibleLine } from '../../../base/text/visible.js';

/** After receipts that say `not to come back`. @param sessions of users who are on hold since; what is held must not be missed */
export function butBackLines(sessions: number): string[] {
  if (sessions === 0) return [];
  const [they, them] = [agreeing(sessions, 'it is', 'they are'), agreeing(sessions, 'it', 'them')];
  const come = agreeing(sessions, 'comes', 'come');
  return [
    `But up to ${counted(sessions, 'conversation')} of these ${come} back with the next export, as far as ${they} of a user who is on hold (jobvault hold list) and the service still has ${them}.`,
  ];
}

/** More users are only counted. */
const NAMED_USERS = 8;

type Suppressing = Pick<EraseSummary, 'archive' | 'request' | 'sessions'> & {
  readonly suppressed: Suppressed | null;
};

/** Ends the question of an erasure: `, and suppress only these 2 conversations, not ada`; empty where it suppresses nothing. */
export function suppressingText(summary: Suppressing): string {
  const { suppressed } = summary;
  if (!suppressed) return '';
  if (isWhole(suppressed)) return `, and suppress ${usersText(suppressed.users)} in every spelling`;
  const { users, sessions } = suppressed;
  const these = `these ${counted(sessions, 'conversation')}`.replace('these 1 ', 'this ');
  const what = [
    ...(users.length === 0 ? [] : [`${usersText(users)} in every spelling`]),
    ...(sessions === 0 ? [] : [these]),
  ];
  return `, and suppress only ${what.join(' and ')}, not ${notSuppressed(summary, suppressed)}`;
}

/** For plan and result; null where an erasure suppresses nothing. */
export function suppressedText(summary: Suppressing): string | null {
  const { suppressed, request, archive } = summary;
  if (!suppressed) return null;
  const others = otherSpellingsText(suppressed);
  if (isWhole(suppressed))
    return `\nNo export into this archive archives them again, until erase\n--unsuppress ends that. ${DIGESTS}${others}`;
  const { users, sessions, users_held: held } = suppressed;
  const erased = `the ${counted(sessions, 'erased conversation')}`.replace('the 1 ', 'the ');
  const what = [
    ...(users.length === 0 ? [] : [usersText(users)]),
    ...(sessions === 0 ? [] : [users.length === 0 ? erased : `${erased} of others`]),
  ];
  const are = users.length + sessions === 1 ? 'is' : 'are';
  const only = `Only ${what.join(' and ')} ${are} suppressed, not ${notSuppressed(summary, suppressed)}`;
  const first =
    held.length === 0
      ? `${only}: exports go on, and archive new conversations.\n`
      : `${only}: ${heldText(held)}, so exports go on, and archive new conversations. After the hold is released:\n  ${commandText(onArchive('erase', ...restWords(request, held), '--suppress'), { ...NO_PLACE, archive })}\n`;
  return `\n${first}\nNo export into this archive archives again what is suppressed, until erase
--unsuppress ends that, or, of a conversation, a hold on its user. ${DIGESTS}${others}`;
}

const DIGESTS = `The archive
keeps a keyed digest, of a user in every spelling, which says whether a name that
somebody has already is on the list; in other archives, such as a pseudonymised
copy, there is none.
`;

/** Nobody has asked for these: whoever reads the plan may know that they are somebody else. */
function otherSpellingsText({ other_spellings: others }: Suppressed): string {
  if (others.length === 0) return '';
  const [it, spelling] = agreeing(
    others.length,
    'it|another spelling',
    'them|other spellings',
  ).split('|');
  return `\nExports skip ${usersText(others)} as well, as ${spelling}: what is archived of ${it} stays, and nothing new of ${it} is archived.\n`;
}

function isWhole({ sessions, users_held: held }: Suppressed): boolean {
  return sessions + held.length === 0;
}

function usersText(users: readonly string[]): string {
  if (users.length > NAMED_USERS) return counted(users.length, 'user');
  return `${agreeing(users.length, 'user', 'users')} ${users.map(visibleLine).join(', ')}`;
}

function notSuppressed({ sessions }: Suppressing, { users, users_held: held }: Suppressed): string {
  if (held.length > NAMED_USERS) return counted(held.length, 'other user');
  if (held.length > 0) return held.map(({ user }) => visibleLine(user)).join(', ');
  const whose = new Set(sessions.map(({ user }) => user).filter((user) => !users.includes(user)));
  return whose.size === 1 ? 'their user' : 'their users';
}

function heldText(held: Suppressed['users_held']): string {
  const sessions = held.reduce((sum, user) => sum + user.sessions, 0);
  const spellings = [...new Set(held.flatMap((user) => user.spellings))];
  if (sessions === 0 && spellings.length > 0)
    return `something is on hold of ${spellings.map(visibleLine).join(', ')}, another spelling of ${agreeing(held.length, 'this user', 'these users')}`;
  // a hold on a user who has nothing here
  if (sessions === 0) return `${agreeing(held.length, 'this user is', 'these users are')} on hold`;
  return `${sessions} of theirs ${agreeing(sessions, 'is', 'are')} on hold`;
}

function restWords(request: string | null, held: Suppressed['users_held']): string[] {
  if (request !== null) return ['--request', request];
  return held.flatMap(({ user }) => ['--user', visibleLine(user)]);
}
