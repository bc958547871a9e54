/** Whether the list of a run's users can be right: asked when the run begins, and again when everybody was read. */
import type { Archive } from '../../archive/archive.js';
import {
  knownUsersOfLate,
  usersOfLate,
  whyListIsDoubtful,
  type UsersList,
  type UsersListRule,
} from '../../archive/reading/users/users-list.js';
import type { RunId } from '../../model/ids.js';

interface CheckedUsers {
  /** Undefined where there is none yet. */
  readonly archive: Archive | undefined;
  readonly users: readonly string[];
}

export class CheckedList {
  /** Why it cannot be right, as far as is known yet. */
  doubt: string | undefined;
  readonly #list: UsersList;

  private constructor(list: UsersList) {
    this.#list = list;
    this.doubt = whyListIsDoubtful(list);
  }

  /** @param run the run that asks; none does in a dry run */
  static async of(
    { archive, users }: CheckedUsers,
    rule: UsersListRule,
    run?: RunId,
  ): Promise<CheckedList> {
    await archive?.index.refresh();
    const ofLate = archive ? usersOfLate(archive.index, archive.clock.now(), run) : 0;
    const knownOfLate = archive ? await knownUsersOfLate(archive, run) : 0;
    return new CheckedList({ users, ofLate, knownOfLate, ...rule });
  }

  /** @param neverSeen its users of whom the service lists nothing, and nothing shows that it ever has */
  checkEnd(neverSeen: Iterable<string>): void {
    this.doubt = whyListIsDoubtful({ ...this.#list, neverSeen: new Set(neverSeen) });
  }
}
