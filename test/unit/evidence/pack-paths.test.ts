/** Names of transcripts: for people, and harmless whatever a session is called. */
import { expect, test } from 'vitest';
import { transcriptPath } from '../../../src/evidence/pack-paths.js';

test.each([
  ['Sales, week 3', 'transcripts/2026-01-10-Sales-week-3-000007.txt'],
  ['Größe von Žižkov: Ｑ３', 'transcripts/2026-01-10-Grosse-von-Zizkov-Q3-000007.txt'],
  ['売上 分析', 'transcripts/2026-01-10-session-000007.txt'],
  ['../../etc/passwd', 'transcripts/2026-01-10-etc-passwd-000007.txt'],
  ['..\\C:\\a%2f\r\n\u0000\u202e', 'transcripts/2026-01-10-C-a-2f-000007.txt'],
  ['…!?', 'transcripts/2026-01-10-session-000007.txt'],
  ['\ud800 a', 'transcripts/2026-01-10-a-000007.txt'],
])('a transcript of %j is named by date, title and number', (title, path) => {
  expect(transcriptPath(7, '2026-01-10T12:00:00.000000Z', title)).toBe(path);
});

test('a transcript of a session without time or name says so', () => {
  expect(transcriptPath(1, null, null)).toBe('transcripts/undated-session-000001.txt');
});

test('a transcript has a name that a file system takes, however long the title is', () => {
  const path = transcriptPath(1, null, 'ab '.repeat(500));
  expect(Buffer.byteLength(path)).toBeLessThan(255);
});
