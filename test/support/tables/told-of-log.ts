/** What is told of the log: changes for programs that load the tables, runs, receipts. */
import type { Change, ChangeKind } from '../../../src/archive/changes.js';
import type { Telling } from './told-lines.js';

export async function ofLog(telling: Telling): Promise<void> {
  const { archive, out, json, tell } = telling;
  const changes = async (...words: readonly string[]): Promise<Change[]> => {
    const { stdout } = await archive.run('changes', out, ...words);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as Change);
  };
  const keys = await changes('--keys');
  tellOfKeys(telling, 'changes --keys', keys);
  const { erasures } = await json<{ erasures: unknown[] }>('erase', out, '--list');
  tell('erase --list', { erasures: erasures.length });
  // what an erasure took is not in the log any more, and who loads it compares keys
  if (erasures.length === 0)
    tellOfKeys(telling, 'changes --since 0', await changes('--since', '0'));
}

function tellOfKeys({ tell }: Telling, output: string, changes: readonly Change[]): void {
  const rows = new Map<string, ChangeKind>();
  for (const { change, table, user_id: user, session_id: session, job_id: job } of changes) {
    if (table !== 'sessions' && table !== 'jobs') continue;
    if (change === 'added' || change === 'changed' || change === 'withdrawn') {
      rows.set(JSON.stringify([table, user, session, job]), change);
    }
  }
  const there = [...rows].filter(([, change]) => change !== 'withdrawn');
  const of = (table: string): number =>
    there.filter(([key]) => key.startsWith(`["${table}"`)).length;
  tell(output, {
    'conversations under each spelling': of('sessions'),
    'questions under each spelling': of('jobs'),
  });
}
