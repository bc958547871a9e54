/** Whether the list of a run's users can be right: asked when the run begins, and again when everybody was read. */
import type { Archive } from '../../archive/archive.js';
import {
  usersOfLate,
  whyListIsDoubtful,
  type UsersList,
  type UsersListRule,
} from '../../archive/users-list.js';
import type { RunId } from '../../model/ids.js';

export class CheckedList {
  /** Why it cannot be right, as far as is known yet. */
  doubt: string | undefined;
  readonly #list: UsersList;
  readonly #allowUnlisted: boolean;

  private constructor(list: UsersList, { allowUnlisted }: UsersListRule) {
    this.#list = list;
    this.#allowUnlisted = allowUnlisted;
    this.doubt = whyListIsDoubtful(list);
  }

  static async of(
    { archive, users }: { readonly archive: Archive; readonly users: readonly string[] },
    rule: UsersListRule,
    run: RunId,
  ): Promise<CheckedList> {
    const { index, clock } = archive;
    await index.refresh();
    const ofLate = usersOfLate(index, clock.now(), run);
    return new CheckedList({ users, count: users.length, ofLate, minUsers: rule.minUsers }, rule);
  }

  /** @param neverSeen of how many of its users the service has never listed a session */
  checkEnd(neverSeen: number): void {
    this.doubt = whyListIsDoubtful({
      ...this.#list,
      ...(!this.#allowUnlisted && { neverSeen }),
    });
  }
}
