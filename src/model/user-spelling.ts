/** Whether two user ids are spellings of one: a service may take `Ana` for `ana`. */

/** The form in which spellings are equal: NFC, without white space around it, and in one case. */
export function foldedUser(user: string): string {
  // both ways: ß and ss, İ and its parts, fold only on the way up and down again
  return user.normalize('NFC').trim().toUpperCase().toLowerCase().normalize('NFC');
}

export function isSameUser(a: string, b: string): boolean {
  return foldedUser(a) === foldedUser(b);
}
