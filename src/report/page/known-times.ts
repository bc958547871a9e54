/** Times as the page tells them: a pseudonymised copy knows of some the day alone, and no midnight is told of these. */
import { knownText, type When } from '../../model/times/when.js';

/** When a question was asked, or a conversation made. */
export function askedText(when: When): string {
  return knownText(when, isOfDays('asked'));
}

/** When something was archived. */
export function exportedText(at: number | null): string {
  return knownText(at, isOfDays('exported'));
}

/** For a program: ISO 8601, of a copy that knows no more the day. */
export function askedIso(at: number): string {
  const iso = new Date(at).toISOString();
  return isOfDays('asked') ? iso.slice(0, 10) : iso;
}

function isOfDays(what: 'asked' | 'exported'): boolean {
  return document.body.dataset[what] === 'days';
}
