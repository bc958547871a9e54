/** Counts in words. */
import { counted, thousands } from '../../base/text/counted.js';

/** `3 new, 2 failed`; zero counts are left out. */
export function parts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${thousands(count)} ${what}`)
    .join(', ');
}

/** `1 table or image`, `2 tables and images` */
export function tablesAndImages(count: number): string {
  return count === 1 ? '1 table or image' : `${count} tables and images`;
}

/** `2 conversations, 7 questions`. @param joint between the two */
export function conversationsAndQuestions(
  sessions: readonly { readonly jobs: number }[],
  joint = ', ',
): string {
  const jobs = sessions.reduce((sum, session) => sum + session.jobs, 0);
  return `${counted(sessions.length, 'conversation')}${joint}${counted(jobs, 'question')}`;
}

/** The sum of the counts of all tables. */
export function totalRows(rows: Readonly<Record<string, number>>): number {
  return Object.values(rows).reduce((sum, count) => sum + count, 0);
}
