/** What is told of two archives together: the sum of what each tells. */
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { Telling } from './told-lines.js';

type Counted = Pick<ArchiveStatus, 'users' | 'sessions' | 'jobs' | 'doubts'>;

const SQL = `SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM current_sessions),
  (SELECT count(*) FROM current_jobs),
  (SELECT count(*) FROM doubted_sessions WHERE NOT is_accepted)`;

export async function ofTwo({ out, json, tell }: Telling, other: string): Promise<void> {
  const told = (output: string, numbers: readonly number[]): void => {
    const [ids = 0, conversations = 0, questions = 0, doubts = 0] = numbers;
    tell(output, {
      'ids in two archives': ids,
      'conversations in two archives': conversations,
      'questions in two archives': questions,
      'doubts in two archives': doubts,
    });
  };
  const counts = async (...archives: string[]): Promise<number[]> => {
    const { users, sessions, jobs, doubts } = await json<Counted>('status', ...archives);
    return [users.total, sessions.total, jobs.total, doubts];
  };
  const [one, two] = [await counts(out), await counts(other)];
  told(
    'status of each',
    one.map((count, at) => count + (two[at] ?? 0)),
  );
  told('status of both', await counts(out, other));
  const { rows } = await json<{ rows: Record<string, number>[] }>('query', out, other, SQL);
  told('query of both', Object.values(rows[0] ?? {}));
}
