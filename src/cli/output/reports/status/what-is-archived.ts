/** What an archive holds: users, conversations, questions, bytes. */
import {
  COMPLETENESS_WORDS,
  type Completeness,
} from '../../../../archive/reading/caveats/completeness.js';
import { formatByteSize } from '../../../../base/byte-size.js';
import { clauses } from '../../../../base/text/clauses.js';
import { counted } from '../../../../base/text/counted.js';
import { withMore } from '../../../../base/text/with-more.js';
import type { ArchiveStatus } from '../../../../completeness/archive-status.js';
import type { UserStatus } from '../../../../completeness/user-status.js';
import { visibleLine } from '../../../../base/text/visible.js';

/** What runs have told of artifacts is about right: one may be put twice. */
export function sizeText(
  { files, artifacts, bytes }: ArchiveStatus['size'],
  isExact: boolean,
): string {
  const about = isExact || artifacts === 0 ? '' : 'about ';
  return `${about}${formatByteSize(bytes)} in ${counted(files, 'file')} and ${counted(artifacts, 'artifact')}`;
}

type Incomplete = Exclude<Completeness, 'complete'>;

/** Why users may be in it, and what ends it. */
const WHY_USERS: Readonly<Record<Incomplete, string>> = {
  'incomplete-by-decision': 'accepted gaps, or erased',
  'not-proven': 'in doubt, never listed as a whole, or perhaps erased since',
  incomplete: 'something is missing',
};

/** @param named the first users of some counts, where they are known */
export function usersText(
  users: ArchiveStatus['users'],
  named: Partial<Pick<ArchiveStatus, 'vanished' | 'never_seen_unread' | 'pseudonymised'>> = {},
): string {
  const { total, people, complete, failed, vanished, never_seen_unread: unread } = users;
  const lacking =
    named.pseudonymised?.part &&
    named.pseudonymised.lacks?.some(({ severity }) => severity !== 'note')
      ? ', or what the copy lacks'
      : '';
  const notComplete = (word: Incomplete, count: number) =>
    count > 0 && `${count} ${COMPLETENESS_WORDS[word]} (${WHY_USERS[word]}${lacking})`;
  const persons =
    people < total ? ` (${counted(people, 'person', 'people')} with conversations)` : '';
  const states = clauses(
    ', ',
    `${complete} complete`,
    notComplete('incomplete-by-decision', users.incomplete_by_decision),
    notComplete('not-proven', users.not_proven),
    notComplete('incomplete', users.incomplete),
  );
  return clauses(
    '; ',
    total > 0 ? `${total}${persons}: ${states}` : '0',
    failed > 0 && `${failed} whose last listing failed`,
    vanished > 0 &&
      `${vanished} of whom the service lists nothing any more${colonNames(vanished, named.vanished)}`,
    unread > 0 &&
      `${unread} without conversations whom exports read no more${colonNames(unread, named.never_seen_unread)}`,
  );
}

function colonNames(count: number, names: readonly string[] = []): string {
  return names.length === 0 ? '' : `: ${namesOfSome(count, names)}`;
}

/** `ana, ben and 3 more` */
export function namesOfSome(count: number, names: readonly string[]): string {
  return withMore(names.map(visibleLine), count);
}

/** Each conversation is in one count, as in `--json`. @param told.deletes whether conversations are deleted from the service */
export function conversationsText(
  { total, complete, incomplete, gone, deleted }: UserStatus['sessions'],
  { deletes }: { readonly deletes: boolean },
): string {
  return clauses(
    ', ',
    `${total}: ${complete} complete, ${incomplete} incomplete`,
    deletes && `${deleted} deleted by prune`,
    (deletes || gone > 0) && `${gone} found gone`,
  );
}

export function questionsText(
  { jobs: { total, settled }, may_change: { jobs, left } }: Pick<UserStatus, 'jobs' | 'may_change'>,
  isCopy = false,
): string {
  const open = isCopy ? 'not settled when it was made' : 'that may still change';
  return clauses(
    ', ',
    `${total}: ${settled} settled`,
    `${jobs} ${open}`,
    left > 0 && `${left} not settled, of conversations that are no longer at the service`,
  );
}

/** One sentence; null of nobody. */
export function usersInSeveralText(
  several: readonly { readonly user: string; readonly archives: readonly string[] }[],
): string | null {
  const [first, ...others] = several;
  if (!first) return null;
  const more = others.length === 0 ? 'is' : `and ${counted(others.length, 'other user')} are`;
  return `${first.user} ${more} in more than one of these archives (${first.user}: ${first.archives.join(', ')}), which a user is not who stays in the archive of one --shard`;
}
