import { expect, it } from 'vitest';
import { folded } from '../../../../src/cli/output/folded-text.js';
import { terminalWidth } from '../../../../src/cli/output/terminal.js';

it('a text breaks at spaces, and goes on below where the text of the line begins', () => {
  const line = '  sessions  24: 24 complete, 0 incomplete, 0 gone from the service';
  expect(folded(line, 40)).toBe(
    '  sessions  24: 24 complete, 0\n            incomplete, 0 gone from the\n            service',
  );
});

it('a text goes on further in where a line has no column, and at the margin of a sentence', () => {
  expect(folded('    user ana, session x: kept\n', 20)).toBe(
    '    user ana,\n      session x:\n      kept\n',
  );
  expect(folded('jobvault: the archive is damaged', 20)).toBe('jobvault: the\narchive is damaged');
});

it('a text breaks no word: one that is too long stands alone, with as much room as there is', () => {
  const digest = '1:a1e1c1ef7222a0010ab603b4fb6aabb';
  expect(folded(`  newest commit  ${digest} or so`, 36)).toBe(
    `  newest commit\n    ${digest}\n                 or so`,
  );
  expect(folded('/a/path/that/is/longer/than/the/line', 10)).toBe(
    '/a/path/that/is/longer/than/the/line',
  );
});

it('a text counts columns, and leaves alone what fits and what goes to no terminal', () => {
  expect(folded('数据 数据 数据', 10)).toBe('数据 数据\n数据');
  expect(folded('a  b\n\n  c', 10)).toBe('a  b\n\n  c');
  const long = 'word '.repeat(50);
  expect(folded(long, undefined)).toBe(long);
});

it('a terminal of unknown size counts as one of 80 columns', () => {
  const write = () => true;
  expect(terminalWidth({ write, isTTY: true, columns: 0 })).toBe(80);
  expect(terminalWidth({ write, isTTY: true, columns: 60 })).toBe(60);
  expect(terminalWidth({ write })).toBeUndefined();
});

it('a text breaks no command: half of one does something else where it is pasted', () => {
  const command = 'jobvault gap list ./archive --config /etc/jobvault/night.yaml';
  expect(folded(`All gaps: ${command} names them`, 40)).toBe(`All gaps:\n${command}\nnames them`);
  expect(folded(`  ${command}`, 30)).toBe(`  ${command}`);
  const steps = '  sudo cp jobvault-export.service jobvault-export.timer /etc/systemd/system/';
  expect(folded(steps, 30)).toBe(steps);
  expect(folded('Next: jobvault export --user ada, with the same settings', 24)).toBe(
    'Next:\njobvault export --user ada,\nwith the same settings',
  );
});

it.each([
  'jobvault query ./archive "DESCRIBE current_jobs"',
  "jobvault request show ./archive 'Matter 2026-114 of Ms. Lovelace'",
  "jobvault hold add ./archive --user 'Ada Lovelace' --by Legal",
  String.raw`jobvault status ./archive --user 'the king'\''s own' --json`,
  'jobvault gap accept ./archive --session 0b6f…',
  'sha256sum -c --quiet --strict manifest-sha256.txt tagmanifest-sha256.txt',
  'sha256sum -c --quiet data/jobvault-files.sha256',
  'openssl rand -out KEYFILE 32',
  'openssl pkey -in … -pubout',
  'chmod 600 ./api-key',
  'npm install @duckdb/node-api',
])('a text breaks no command in a sentence, of whatever program: %s', (command) => {
  for (let width = 20; width < 80; width++) {
    expect(folded(`What to do now in this place: ${command}`, width)).toContain(command);
    expect(folded(`  reason  In its folder, ${command}, and then go on`, width)).toContain(command);
  }
});

it('the words of the sentence behind a command are broken as others are', () => {
  expect(folded("Next: jobvault verify ./a names everybody's holds and files", 30)).toBe(
    "Next: jobvault verify ./a\nnames everybody's holds and\nfiles",
  );
});
