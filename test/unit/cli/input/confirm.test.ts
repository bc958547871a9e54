/** Nothing is deleted or erased without a yes. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../src/base/error.js';
import { consent } from '../../../../src/cli/input/confirm.js';
import type { View } from '../../../../src/cli/output/view.js';
import { canAsk } from '../../../../src/cli/input/questions.js';
import { silentLogger, type Logger } from '../../../../src/base/logger.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { testTerminal, type TestTerminalOptions } from '../../../support/programs/test-terminal.js';

const MINUTE = 60_000;

interface Said {
  readonly yes?: boolean;
  readonly logLevel?: 'debug' | 'info' | 'warn' | 'error';
  readonly logFormat?: 'text' | 'json';
}

function asking(said: Said, options: TestTerminalOptions = {}) {
  const logged: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    info: (fields: object, text: string) => void logged.push([fields, text]),
  };
  const clock = new FakeClock();
  const terminal = testTerminal({ clock, ...options });
  const sources = { flags: {}, environment: {}, file: undefined };
  const settings = { yes: false, logLevel: 'info', logFormat: 'text', ...said } as const;
  return { clock, terminal, logged, invocation: { terminal, logger, settings, sources } };
}

const plan = (isAgreed: boolean): View => ({
  headline: isAgreed ? 'The plan, agreed.' : 'The plan.',
});

describe('a person at a terminal', () => {
  it.each([
    ['y', true],
    ['yes', true],
    [' YES ', true],
    ['n', false],
    ['', false],
    ['yesterday', false],
    ['oh yes', false],
    ['ye', false],
  ])('who answers %j to the plan: %s', async (answer, isYes) => {
    const { invocation, terminal } = asking({}, { isTTY: true, stdin: `${answer}\n` });
    expect(await consent(invocation)(plan, 'Delete?')).toBe(isYes);
    expect(terminal.told.stderr).toBe('The plan.\nDelete? [y/N] ');
  });

  it('who closes the input has not said yes', async () => {
    const { invocation } = asking({}, { isTTY: true, stdin: '' });
    expect(await consent(invocation)(() => ({}), 'Delete?')).toBe(false);
  });

  it('who does not answer for ten minutes has said no', async () => {
    const { invocation, terminal, clock } = asking({}, { isTTY: true });
    terminal.stdin.read = () => null;
    const answer = consent(invocation)(() => ({}), 'Delete?');
    let said: boolean | undefined;
    void answer.then((is) => (said = is));
    await clock.advance(10 * MINUTE - 1);
    expect(said).toBeUndefined();
    await clock.advance(1);
    expect(await answer).toBe(false);
    expect(terminal.told.stderr).toContain('\nNo answer for 10 minutes: nothing is done.\n');
  });

  it('is not waited for any more once there is an answer', async () => {
    const { invocation, terminal, clock } = asking({}, { isTTY: true, stdin: 'y\n' });
    await consent(invocation)(() => ({}), 'Delete?');
    await clock.advance(11 * MINUTE);
    expect(terminal.told.stderr).not.toContain('No answer');
  });
});

describe('where nobody can be asked', () => {
  it('nothing is done', () => {
    expect(() => consent(asking({}).invocation)).toThrow(
      new UsageError(
        'nothing was done, because it cannot be undone and there is no terminal to ask at; pass --yes, or --dry-run to see the plan',
      ),
    );
  });

  it.each([
    [{ logLevel: 'info' }, 'The plan, agreed.\nDelete? yes (--yes)\n'],
    [{ logLevel: 'debug' }, 'The plan, agreed.\nDelete? yes (--yes)\n'],
    [{ logLevel: 'warn' }, ''],
  ] as const)('--yes is a yes, and the plan is shown: %j', async (said, told) => {
    const { invocation, terminal, logged } = asking({ yes: true, ...said });
    expect(await consent(invocation)(plan, 'Delete?')).toBe(true);
    expect([terminal.told.stderr, logged]).toEqual([told, []]);
  });

  it('--yes is told to programs in the form of their log, line by line', async () => {
    const { invocation, terminal, logged } = asking({ yes: true, logFormat: 'json' });
    expect(
      await consent(invocation)((isAgreed) => ({ ...plan(isAgreed), lines: [''] }), 'Delete?'),
    ).toBe(true);
    expect(terminal.told.stderr).toBe('');
    expect(logged).toEqual([
      [{}, 'The plan, agreed.'],
      [{}, 'Delete? yes (--yes)'],
    ]);
  });
});

it.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [false, false, false],
])(
  'somebody can be asked only where input and messages are a terminal: %s, %s',
  (input, messages, asks) => {
    const terminal = testTerminal();
    const stdin = Object.assign(terminal.stdin, { isTTY: input });
    expect(canAsk({ ...terminal, stdin, stderr: { ...terminal.stderr, isTTY: messages } })).toBe(
      asks,
    );
  },
);
