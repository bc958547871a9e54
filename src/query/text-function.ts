/** A function of SQL that takes texts and gives a text. It runs in JavaScript: for few rows. */
export interface TextFunction {
  readonly name: string;
  readonly parameters: number;
  /** @returns null for null */
  readonly apply: (...texts: (string | null)[]) => string | null;
}
