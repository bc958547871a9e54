import { expect, it } from 'vitest';
import { asConfigured, NO_PLACE, onArchive, step } from '../../../../src/base/next-step.js';
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

it('a text breaks no command that is a value: half of one is another one', () => {
  const place = { ...NO_PLACE, archive: './archive', options: ['--config', '/etc/night.yaml'] };
  const list = onArchive('gap list');
  const line = 'jobvault gap list ./archive --config /etc/night.yaml';
  const sentence = step`All gaps: ${list} names them`;
  expect(folded(sentence.unbroken(place), 40)).toBe(`All gaps:\n${line}\nnames them`);
  expect(folded(step`  ${list}`.unbroken(place), 30)).toBe(`  ${line}`);
  expect(folded(sentence.unbroken(place))).toBe(sentence.text(place));
});

it.each([
  [asConfigured('export', '--user', 'Ada Lovelace'), "jobvault export --user 'Ada Lovelace'"],
  [{ shell: 'sudo cp a.service b.timer /etc/systemd/system/' }, undefined],
  [
    { shell: 'sha256sum -c --quiet --strict manifest-sha256.txt tagmanifest-sha256.txt' },
    undefined,
  ],
])('at no width is %s broken, and the words around it are', (command, shown) => {
  const text = shown ?? ('shell' in command ? command.shell : '');
  const sentence = step`  reason  What to do now in this place: ${command}, and then go on`;
  for (let width = 20; width < 80; width++) {
    const lines = folded(sentence.unbroken(NO_PLACE), width).split('\n');
    expect(lines.join('\n')).toContain(text);
    expect(lines.filter((line) => line.length > width && !line.includes(text))).toEqual([]);
  }
});
