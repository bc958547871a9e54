/** When a job was asked: ISO 8601, always in the same form. */
export interface AskedTimes {
  /** As its id tells; null where it tells none. */
  readonly createdAt: string | null;
  /** As its neighbours in the history tell; null where none does. Equal to the time where the id tells. */
  readonly createdAfter: string | null;
  readonly createdBefore: string | null;
}
