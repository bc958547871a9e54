/** Ids that look the same are told apart, and what is under another spelling of one. */
import { clauses } from '../../../base/text/clauses.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import type { OtherSpelling } from '../users/listed-again.js';

/**
 * A name as it is told from others: where it has white space around it, or letters and accents that are apart, with what
 * the eye does not see.
 */
export function toldApart(user: string): string {
  if (user === user.normalize('NFC').trim()) return user;
  const escaped = user.replace(/[^ -~]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u${code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0')}`;
  });
  return `${user} (${user === user.trim() ? escaped : JSON.stringify(escaped).replaceAll('\\\\', '\\')})`;
}

/**
 * What other spellings have of the same person that a named one has not; null for nothing. The questions are those of
 * conversations that both have: the others go with their conversations.
 */
export function spellingsHave(others: readonly OtherSpelling[]): string | null {
  const sessions = others.reduce((sum, other) => sum + other.sessions_elsewhere, 0);
  const questions = others.reduce((sum, other) => sum + other.questions_lacked, 0);
  const files = others.reduce((sum, other) => sum + other.files_lacked, 0);
  const all = sessions + questions + files;
  if (all === 0) return null;
  const beside = questions + files;
  if (sessions > 0 && beside > 0) {
    const apart = `${countsOf({ sessions })} that ${agreeing(sessions, 'is', 'are')} not here`;
    return `${apart}, and ${countsOf({ questions, files })} that the conversations here lack`;
  }
  return `${countsOf({ sessions, questions, files })} that ${agreeing(all, 'is', 'are')} not here`;
}

/** `2 questions that only the other spelling has are`; null of nothing. */
export function onlyElsewhere({
  questions,
  files,
}: {
  readonly questions: number;
  readonly files: number;
}): string | null {
  const all = questions + files;
  if (all === 0) return null;
  return `${countsOf({ questions, files })} that only the other spelling has ${agreeing(all, 'is', 'are')}`;
}

/** Says how many there are of each, where there are any. */
function countsOf({ sessions = 0, questions = 0, files = 0 }): string {
  return clauses(
    ' and ',
    sessions > 0 && counted(sessions, 'conversation'),
    questions > 0 && counted(questions, 'question'),
    files > 0 && counted(files, 'file'),
  );
}
