import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger, type LogFields } from '../../../../src/base/logger.js';
import { UsageError } from '../../../../src/base/error.js';
import { readUsers } from '../../../../src/cli/input/users.js';
import { testTerminal } from '../../../support/programs/test-terminal.js';
import { fault } from '../../../support/base/fault.js';

const logger = silentLogger;

const usersIn = (stdin: string | Uint8Array, named: readonly string[] = []) =>
  readUsers({ user: named, usersFile: '-' }, { terminal: testTerminal({ stdin }), logger });

it('users are those that are named, each once, in the order given', async () => {
  const users = await readUsers(
    { user: ['b', 'a', 'b', ' c'] },
    { terminal: testTerminal(), logger },
  );
  expect(users).toEqual(['b', 'a', ' c']);
});

it('users that are named come before those of the file', fault('F-67'), async () => {
  expect(await usersIn('a\nz\n', ['z', 'b'])).toEqual(['z', 'b', 'a']);
});

it('users must be some', async () => {
  await expect(readUsers({}, { terminal: testTerminal(), logger })).rejects.toThrow(
    new UsageError('no user is named; give --user or --users-file'),
  );
});

it('users that are excluded are left out in every spelling, and who was not named so is told', async () => {
  const told: [string, LogFields, string][] = [];
  const telling = {
    ...logger,
    info: (fields: LogFields, text: string) => void told.push(['info', fields, text]),
    warn: (fields: LogFields, text: string) => void told.push(['warn', fields, text]),
  };
  const given = { user: ['ada', 'ADA', 'bob'], excludeUser: ['ada'] };
  const users = await readUsers(given, { terminal: testTerminal(), logger: telling });
  expect(users).toEqual(['bob']);
  expect(told).toEqual([
    ['info', { users: 2 }, 'excluded, as asked for'],
    ['warn', { users: ['ADA'], count: 1 }, 'excluded, too: another spelling of an excluded user'],
  ]);
});

it('users are excluded by a file without a comment, too', async () => {
  const given = { user: ['ada', 'bob'], excludeUsersFile: ['-'] };
  const terminal = testTerminal({ stdin: 'ada\n' });
  expect(await readUsers(given, { terminal, logger })).toEqual(['bob']);
});

it('users that are excluded are told by name up to the twentieth', async () => {
  const warned: LogFields[] = [];
  const telling = { ...logger, warn: (fields: LogFields) => void warned.push(fields) };
  const ids = Array.from({ length: 21 }, (_, at) => `user${at}`);
  const user = ['bob', ...ids.map((id) => id.toUpperCase())];
  await readUsers({ user, excludeUser: ids }, { terminal: testTerminal(), logger: telling });
  expect(warned).toEqual([{ users: user.slice(1, 21), count: 21 }]);
});

it('users are not told as excluded where none is', async () => {
  const told: LogFields[] = [];
  const telling = { ...logger, info: (fields: LogFields) => void told.push(fields) };
  const given = { user: ['bob'], excludeUser: ['ada'] };
  const users = await readUsers(given, { terminal: testTerminal(), logger: telling });
  expect([users, told]).toEqual([['bob'], []]);
});

it('users may not all be excluded', async () => {
  const given = { user: ['ada'], excludeUser: ['ada'] };
  await expect(readUsers(given, { terminal: testTerminal(), logger })).rejects.toThrow(
    new UsageError('every user that is named is excluded by --exclude-user or its file'),
  );
});

it.each(['', '\n \n', 'user_id\n', 'user_id,name\n,Ada\n', '\uFEFF'])(
  'users must be some in a file, too: %j',
  async (content) => {
    await expect(usersIn(content)).rejects.toThrow(
      new UsageError(
        '--users-file - has no user; allowed is one user per line, or CSV with a column user_id',
      ),
    );
  },
);

describe('a file whose first line looks like a heading', () => {
  it.each([
    ['name,team\nada,x', 'columns name, team'],
    ['Full name;cost-centre\nada;7', 'columns Full name, cost-centre'],
    ['session\ns1', 'column session'],
    ['id,session_id\n7,s1', 'columns id, session_id'],
  ])('and names no column of users is refused: %j', async (content, what) => {
    await expect(usersIn(content)).rejects.toThrow(
      new UsageError(`--users-file - begins with the ${what}; one must be user_id`),
    );
  });

  it.each([
    ['user_id,user\nada,Ada L', ['ada']],
    ['ada\nname,team', ['ada', 'name,team']],
    ['CN=Ada,OU=People\nada', ['CN=Ada,OU=People', 'ada']],
    ['name,t@m\nada', ['name,t@m', 'ada']],
  ])(
    'is a list of users where these are no names, or one is user_id: %j',
    async (content, users) => {
      expect(await usersIn(content)).toEqual(users);
    },
  );
});

it.each([
  'Users of the pilot\nuser_id,department\nada,7',
  'Users of the pilot\n\nname;User ID\nAda;ada',
])(
  'a heading below a title is refused, lest each of its lines be taken for a user: %j',
  fault('F-103'),
  async (content) => {
    await expect(usersIn(content)).rejects.toThrow(
      /^--users-file -, line [23] \("[^\n]+"\) has names of columns, and is not the first line; remove what is above it, or begin that with #$/,
    );
  },
);

describe('a plain list', () => {
  it.each([
    ['ada\nbob\n', ['ada', 'bob']],
    ['ada\r\n\r\n  bob  \r\n', ['ada', 'bob']],
    ['ada', ['ada']],
    ['\uFEFFada\nbob', ['ada', 'bob']],
    ['007\n1e5\ntrue', ['007', '1e5', 'true']],
    [
      'ada@example.com\nCN=Ada,OU=People\n"quoted"',
      ['ada@example.com', 'CN=Ada,OU=People', 'quoted'],
    ],
    ['用户\n🙂', ['用户', '🙂']],
    ['__proto__\nada\nada', ['__proto__', 'ada']],
    ['# all users\nada # in Rome\n#bob\na#b', ['ada', 'a#b']],
    ['user\nada', ['ada']],
    ['\n# users\nUser ID\nada', ['ada']],
    ['id\nada', ['ada']],
  ])('%j names %j', async (content, users) => {
    expect(await usersIn(content)).toEqual(users);
  });
});

describe('CSV with a column user_id', () => {
  it.each([
    ['user_id\nada\nbob\n', ['ada', 'bob']],
    ['name,user_id\nAda,ada\nBob,bob', ['ada', 'bob']],
    ['"name";"user_id"\r\n"Ada;A";"a;da"\r\n', ['a;da']],
    ['name\tuser_id\nAda, the first\tada', ['ada']],
    ['\uFEFFuser_id,name\nada,Ada', ['ada']],
    [' user_id , name\n ada , Ada \n\n , nobody\n bob', ['ada', 'bob']],
    ['user_id,name\nx;y,Semicolon', ['x;y']],
    ['user_id,name\n"line\nbreak",x\n"say ""hi""",y', ['line\nbreak', 'say "hi"']],
    ['user_id,__proto__\nada,x', ['ada']],
    ['"User ID";"Name"\nada;Ada', ['ada']],
    ['user,user_id\nAda,ada', ['ada']],
    ['# of March\nid,user_id\n1,ada # in Rome\n2,', ['ada']],
    ['name\tuser_id\n\tada', ['ada']],
  ])('%j names %j', async (content, users) => {
    expect(await usersIn(content)).toEqual(users);
  });

  it.each([
    ['user_id,name\nada,Ada\nsmith, john,Smith', 'a row with a comma too many'],
    ['user_id\nsmith, john', 'a comma where there is one column'],
    ['user_id,name\n"ada,Ada', 'a quote that never ends'],
  ])('%j is refused rather than read wrongly: %s', async (content) => {
    await expect(usersIn(content)).rejects.toThrow(
      /^--users-file -, line \d \([^\n]+\) is not understood; allowed is one user per line, or CSV with a column user_id$/,
    );
  });

  it.each(['id,name\nada,Ada', 'session,name\nada,Ada', 'name\tid\nAda\tada'])(
    'under another name is refused, lest its lines be taken for users: %j',
    async (content) => {
      await expect(usersIn(content)).rejects.toThrow(
        /^--users-file - begins with the columns [\w ]+, [\w ]+; one must be user_id$/,
      );
    },
  );
});

describe('a file', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'jobvault-users-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('is read from disk', async () => {
    const path = join(directory, 'users.txt');
    await writeFile(path, 'ada\n');
    expect(await readUsers({ usersFile: path }, { terminal: testTerminal(), logger })).toEqual([
      'ada',
    ]);
  });

  it('that is not there is named', async () => {
    const path = join(directory, 'absent.txt');
    await expect(
      readUsers({ user: ['ada'], usersFile: path }, { terminal: testTerminal(), logger }),
    ).rejects.toThrow(
      `--users-file ${path} cannot be read: there is no such file or directory (ENOENT)`,
    );
  });

  it('in UTF-16 is understood where it says so', async () => {
    expect(await usersIn(Buffer.from('\uFEFFada\n', 'utf16le'))).toEqual(['ada']);
  });

  it.each([
    ['Latin-1', Buffer.from('Ren\xe9e\n', 'latin1')],
    ['UTF-16 without a mark', Buffer.from('ada\n', 'utf16le')],
  ])('in %s is refused, lest a wrong user be asked for', async (_encoding, bytes) => {
    await expect(usersIn(bytes)).rejects.toThrow(/^--users-file - is not UTF-8 text/);
  });
});

describe('Users who are excluded', () => {
  const told: LogFields[] = [];
  const telling = { ...silentLogger, warn: (fields: LogFields) => void told.push(fields) };
  const context = () => ({
    terminal: testTerminal({ stdin: '# gone\nuser_id\nbob\n' }),
    logger: telling,
  });
  beforeEach(() => void told.splice(0));

  it('are left out, whether a flag or a file names them', async () => {
    const given = { user: ['ada', 'bob', 'eve'], excludeUser: ['eve'], excludeUsersFile: ['-'] };
    expect(await readUsers(given, context())).toEqual(['ada']);
    expect(told).toEqual([]);
  });

  it('are left out in other spellings, which are told', async () => {
    const given = { user: ['Ana', ' ana', 'ana', 'ben'], excludeUser: ['ana'] };
    expect(await readUsers(given, context())).toEqual(['ben']);
    expect(told).toEqual([{ users: ['Ana', ' ana'], count: 2 }]);
  });

  it('cannot stand on stdin together with the users, which would leave nobody excluded', async () => {
    const given = { usersFile: '-', excludeUsersFile: ['-'] };
    await expect(readUsers(given, context())).rejects.toThrow(
      new UsageError(
        'only one of --users-file and --exclude-users-file can be - (stdin), which is read once',
      ),
    );
  });

  it('must not be all', async () => {
    await expect(readUsers({ user: ['ada'], excludeUser: ['ADA'] }, context())).rejects.toThrow(
      new UsageError('every user that is named is excluded by --exclude-user or its file'),
    );
  });

  it.each(['', '\n\n', 'user_id\n', 'user_id,case\n', '\uFEFF'])(
    'are named by a file that is not empty, or nothing is exported: %j',
    fault('F-103'),
    async (stdin) => {
      const given = { user: ['ada'], excludeUsersFile: ['-'] };
      const io = { terminal: testTerminal({ stdin }), logger: telling };
      await expect(readUsers(given, io)).rejects.toThrow(
        new UsageError(
          '--exclude-users-file - has no user, so it would exclude nobody; if that is right, put a comment into it: a line that begins with #',
        ),
      );
    },
  );

  it.each(['# nobody yet\n', 'user_id # nobody yet\n'])(
    'may be nobody where a comment in the file shows that it is meant: %j',
    async (stdin) => {
      const given = { user: ['ada'], excludeUsersFile: ['-'] };
      const io = { terminal: testTerminal({ stdin }), logger: telling };
      expect(await readUsers(given, io)).toEqual(['ada']);
    },
  );

  it('stand below a heading in the first line, or nothing is exported', async () => {
    const given = { user: ['ada'], excludeUsersFile: ['-'] };
    const stdin = 'Erased persons\nuser_id,case\nada,7\n';
    const io = { terminal: testTerminal({ stdin }), logger: telling };
    await expect(readUsers(given, io)).rejects.toThrow('has names of columns');
  });

  it('are named by a file that can be read, or nothing is exported', async () => {
    const given = { user: ['ada'], excludeUsersFile: ['/nowhere/gone.txt'] };
    await expect(readUsers(given, context())).rejects.toThrow(
      new UsageError(
        '--exclude-users-file /nowhere/gone.txt cannot be read: there is no such file or directory (ENOENT)',
      ),
    );
  });
});
