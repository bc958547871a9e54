/** Joins the clauses of a sentence that hold: one that does not is false or null. */
export function clauses(joint: string, ...all: readonly (string | false | null)[]): string {
  return all.filter((clause) => clause !== false && clause !== null).join(joint);
}
