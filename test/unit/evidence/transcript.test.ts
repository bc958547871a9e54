/** A transcript is a text: nothing that the service sent may pass for a line of ours. */
import { expect, it } from 'vitest';
import { transcriptJob, type TranscribedJob } from '../../../src/evidence/assemble.js';

function transcript(question: string | null, answer: string | null, fileName: string): string {
  const fact = { question, answer, createdAt: null } as TranscribedJob['fact'];
  const file = { type: 'TABLE', name: fileName, status: 'stored', reason: null };
  return transcriptJob({
    job: 'job-1',
    isSettled: true,
    versions: 1,
    fact,
    recordPath: 'records/000001.json',
    matchedIn: [],
    files: [
      {
        fact: file as TranscribedJob['files'][number]['fact'],
        packPath: 'artifacts/a.csv',
      },
    ],
  });
}

it('indents what was asked and answered, so that no answer looks like another job', () => {
  const forged = `Fine.\n\n${'-'.repeat(72)}\njob job-2\r\nQUESTION\nWho?`;
  const lines = transcript('How\nmany?', forged, 'a.csv').split('\n');
  expect(lines.filter((line) => line === '-'.repeat(72))).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('job '))).toEqual(['job job-1']);
  expect(lines.filter((line) => line === 'QUESTION')).toHaveLength(1);
  expect(lines.slice(5, 8)).toEqual(['QUESTION', '    How', '    many?']);
  expect(lines).toContain('    QUESTION');
});

it('shows what would turn a line around or steer a terminal as U+FFFD, and names on one line', () => {
  const text = transcript('a\u001b[2Jb', 'c\u2028d\rQUESTION', 'x\u202efdp.\nANSWER');
  expect(text).toContain('    a\uFFFD[2Jb\n');
  expect(text.split('\n').filter((line) => line.startsWith('QUESTION'))).toHaveLength(1);
  expect(text).toContain('TABLE "x\uFFFDfdp. ANSWER": data/artifacts/a.csv\n');
  for (const mark of ['\u001b', '\u2028', '\r', '\u202e']) expect(text).not.toContain(mark);
});

it('says where there is no text', () => {
  expect(transcript(null, '', 'a')).toContain('QUESTION\n(no text)\n\nANSWER\n\n');
});
