/** Finds users of an archive whose ids are other spellings of a user's. */
import { groupBy } from '../../../base/group-by.js';
import { type UserId } from '../../../model/ids.js';
import { foldedUser } from '../../../model/user-spelling.js';

export class UserSpellings {
  /** By `foldedUser`. */
  #users: Map<string, UserId[]> | undefined;

  /** @param archived who is in the archive; asked once, and late */
  constructor(readonly archived: () => readonly UserId[]) {}

  othersOf(user: UserId): readonly UserId[] {
    this.#users ??= groupBy(this.archived(), foldedUser);
    const spelt = this.#users.get(foldedUser(user)) ?? [];
    return spelt.filter((other) => other !== user);
  }
}
