/** Ids that look the same are told apart, and what is under another spelling of one. */
import { agreeing, counted } from '../../../base/text/counted.js';
import type { OtherSpelling } from '../listed-again.js';

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

/** What other spellings have of the same person that a named one has not; null for nothing. */
export function spellingsHave(others: readonly OtherSpelling[]): string | null {
  const sessions = others.reduce((sum, other) => sum + other.sessions_elsewhere, 0);
  const questions = others.reduce((sum, other) => sum + other.questions_elsewhere, 0);
  if (sessions + questions === 0) return null;
  const parts = [
    ...(sessions > 0 ? [counted(sessions, 'conversation')] : []),
    ...(questions > 0 ? [counted(questions, 'question')] : []),
  ];
  return `${parts.join(' and ')} that ${agreeing(sessions + questions, 'is', 'are')} not here`;
}
