import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseHolds, readHolds } from '../../../../src/cli/input/hold-file.js';
import { fault } from '../../../support/base/fault.js';

/** Whether the text holds the session `s1` of the user `ann`, and nobody else's. */
function holdsIt(text: string): boolean {
  const holds = parseHolds(text, '--hold-file h');
  expect(holds.reasonFor('ben', 's2')).toBeUndefined();
  return holds.reasonFor('ann', 's1') !== undefined;
}

describe('a hold file', () => {
  it.each([
    's1',
    'ann',
    '  s1  ',
    's1\r\n',
    's1\rother',
    '\ts1\t',
    '"s1"',
    "'s1'",
    's1 # a comment',
    's1\t# a comment',
    's1,# a comment',
    '"s1" # "quoted" comment',
    '# a comment\n\n   \ns1',
    'ann,s1',
    'ann;s1',
    'ann\ts1',
    'ann, "s1"',
    'ann,',
    ',s1',
    'user_id,session_id\nann,s1',
    'User ID;Session ID;Reason\nann;s1;"case; 7"',
    'session_id,reason\ns1,legal',
    'reason,user_id\nlegal,ann',
    'id\ns1',
    'session\ns1',
    'id,user_id\n7,ann',
    'user_id,id\n,s1',
    'id,user_id,session_id\n7,ann,s1',
    'user,user_id\nAnn Lee,ann',
    'id,ids\n7,s1',
    'reason;session_id\n"line one\nline two";s1',
  ])('%j holds', fault('F-52'), (text) => {
    expect(holdsIt(text)).toBe(true);
  });

  it.each(['', '\n\n', '# s1', '#s1', 's1x', 'S1', 'ann,s9', 'ben2,s1', 'user_id\ns1'])(
    '%j does not, or only as the id that it is',
    (text) => {
      const holds = parseHolds(text, 'h');
      expect(holds.reasonFor('ann', 's1')).toBe(
        text === 'user_id\ns1' ? 'the session is on hold' : undefined,
      );
    },
  );

  it.each([
    ['a#b', 'a#b'],
    ['a #b', 'a #b'],
    ['a,b', 'a,b'],
    ['"a,b"', 'a,b'],
    ['a b', 'a b'],
    ['user', 'user'],
  ])('the line %j holds the id %j, whatever else it may mean', (line, id) => {
    expect(parseHolds(line, 'h').reasonFor('ann', id)).toBe('the session is on hold');
  });

  it(
    'compares users in any spelling, and sessions by their NFC, otherwise exactly',
    fault('F-52'),
    () => {
      const holds = parseHolds('Zoe\u0308', 'h');
      expect(holds.holdsUser('Zoë')).toBe(true);
      expect(holds.holdsUser('zoë')).toBe(true);
      expect(holds.reasonFor('u', 'Zoë')).toBe('the session is on hold');
      expect(holds.reasonFor('u', 'zoë')).toBeUndefined();
    },
  );

  it.each(['a,b,c', '"a', 'a"b', 'user_id,session_id\n,', 'session_id\na,b', ',,'])(
    '%j is not understood, which is said with its line',
    fault('F-52'),
    (text) => {
      const line = text.split('\n').length;
      expect(() => parseHolds(text, '--hold-file h')).toThrow(
        new RegExp(`^--hold-file h, line ${line} \\(.*\\) is not understood; allowed is an id`),
      );
    },
  );

  it('says which line is a heading that need not match', () => {
    const { entries } = parseHolds('session_id\ns1', 'h');
    expect(entries.map(({ isOptional }) => isOptional ?? false)).toEqual([true, false]);
  });
});

it('every cell of a column of ids is held, also an id beside a user', () => {
  const holds = parseHolds('id,user_id\ns9,ann\n,ben\ns8,', 'h');
  expect(holds.reasonFor('carl', 's9')).toBe('the session is on hold');
  expect(holds.reasonFor('carl', 's8')).toBe('the session is on hold');
  expect(['ann', 'ben', 'carl'].map((user) => holds.holdsUser(user))).toEqual([true, true, false]);
});

it('every cell of a column of ids makes a session beside a user that session of that user', () => {
  const holds = parseHolds('id,user_id,session_id\n7,ann,s1', 'h');
  expect(holds.reasonFor('ann', 's2')).toBeUndefined();
  expect(holds.reasonFor('ben', 's1')).toBeUndefined();
  expect(holds.holdsUser('7')).toBe(true);
});

it.each(['session_id\n"s1\ns2"', 'user_id,session_id\nann,"s1\ns2"'])(
  'no cell with a line break is understood, for a quote may have swallowed lines: %j',
  (text) => {
    expect(() => parseHolds(text, '--hold-file h')).toThrow(
      /^--hold-file h, line 2 .* is not understood/,
    );
  },
);

it("cells must be known, but for an id beside a user or session, which may be a row's number", () => {
  const optional = (text: string) =>
    parseHolds(text, 'h').entries.map(({ isOptional }) => isOptional ?? false);
  expect(optional('id\ns1')).toEqual([true, false]);
  expect(optional('id,user_id\n7,ann\n8,\n,ben')).toEqual([true, false, true, false, false]);
  expect(optional('user_id,session_id\nann,s1')).toEqual([true, false]);
});

it('cells have a heading of two names that may be the ids of a user and a session', () => {
  const holds = parseHolds('user_id,session_id\nann,s1', 'h');
  expect(holds.reasonFor('user_id', 'session_id')).toBe('the session is on hold');
});

it('without hold files nothing is held, and one that cannot be read is named', async () => {
  const none = await readHolds({ allowEmptyHolds: false });
  expect(none.entries).toEqual([]);
  const missing = join(tmpdir(), 'jobvault-no-such-file');
  await expect(readHolds({ holdFile: [missing], allowEmptyHolds: false })).rejects.toThrow(
    '--hold-file',
  );
});

describe('a hold file that holds nothing', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jobvault-holds-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it.each([
    ['', 'no line'],
    ['\uFEFF\r\n \n', 'no line'],
    ['# all released\n', 'no line'],
    ['user_id\n', 'a heading and no other line'],
    ['user_id,session_id,reason\n# none\n', 'a heading and no other line'],
  ])('%j is refused, unless that is allowed', fault('F-78'), async (text, what) => {
    const file = join(directory, 'holds.csv');
    await writeFile(file, text);
    await expect(readHolds({ holdFile: [file], allowEmptyHolds: false })).rejects.toThrow(
      `--hold-file ${file} has ${what}, so it would hold nothing; if that is right, pass --allow-empty-holds`,
    );
    const holds = await readHolds({ holdFile: [file], allowEmptyHolds: true });
    expect(holds.entries.every(({ isOptional }) => isOptional === true)).toBe(true);
  });

  it('is refused beside another one that holds something', async () => {
    const [some, none] = [join(directory, 'some'), join(directory, 'none')];
    await writeFile(some, 's1\n');
    await writeFile(none, '');
    const reading = readHolds({ holdFile: [some, none], allowEmptyHolds: false });
    await expect(reading).rejects.toThrow(`--hold-file ${none} has no line`);
  });
});
