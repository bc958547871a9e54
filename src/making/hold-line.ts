/** A hold that binds; of those that are withheld how many there are, in a sentence. */
export type HoldLine = ToldHold | { readonly withheld: string };

interface ToldHold {
  /** A hold on a user is one on all sessions of the user. */
  readonly subject: 'user' | 'session';
  /** The user who is held, as the hold spells the id. */
  readonly user: string;
  readonly reason: string;
  /** Who asked for it. */
  readonly by: string;
  /** In milliseconds since 1970. */
  readonly since: number;
}
