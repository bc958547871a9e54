/** Control, ESC and bidirectional characters wherever an archive, the service or a path can have them: what a terminal gets. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

/** Clears the screen, sets the title, turns the direction, overwrites the line, hides text: each as itself and as C1. */
const STEER =
  '\u001b[2J\u001b]0;title\u0007\u009b31m\u009d0;t\u009c\u202eevil\u2066\u200f\rover\u0008\u0085';
const FORBIDDEN = /(?![\n\t])[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** What jobvault itself writes: colours, the wiping of a line that a progress bar had, the bar's own moves. */
// eslint-disable-next-line no-control-regex
const OWN = /\r?\u001b\[(?:\d{0,2}m|2K|\d*[GJK]|\?25[hl]|\?7[hl]|1?[ABCD])|\r/g;

const USER = `ann${STEER}`;
const SESSION = 'session-1';

describe('what would steer a terminal', () => {
  let rig: ExportRig;
  let out: string;

  beforeAll(async () => {
    rig = await ExportRig.start();
    const block = (type: string, content: unknown) => ({
      type,
      content,
      group_id: STEER,
      group_name: STEER,
      stage: 'Respond',
    });
    const job = {
      job_id: `job${STEER}`,
      question: { blocks: [{ type: 'MESSAGE', content: STEER }] },
      answer: {
        blocks: [
          block('MESSAGE', STEER),
          block('TABLE', { name: STEER, url: '{{url:absent.csv}}' }),
          block('SOURCES', [{ source: STEER, more: STEER }]),
          block(`X${STEER}`, { a: STEER }),
        ],
      },
    };
    const session = { id: SESSION, name: STEER, output_language: STEER, jobs: [job] };
    const dataset = { id: 'dataset-1', creator: USER, name: STEER, description: STEER };
    rig.state.importJson(
      JSON.stringify({ users: [{ user_id: USER, sessions: [session] }], datasets: [dataset] }),
    );
    const folder = join(rig.directory, 'a\u001b[31mb\u202e');
    await mkdir(folder);
    out = join(folder, 'archive');
    const end = await cli(exportWords());
    expect(end.exitCode, end.stderr).toBe(3);
    const held = ['hold', 'add', out, '--user', USER, '--reason', STEER, '--by', STEER];
    expect((await cli(held)).exitCode).toBe(0);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const service = (user = USER) => ['--base-url', rig.emulator.baseUrl, '--user', user];
  const exportWords = (...more: string[]) => [
    'export',
    ...service(),
    '--out',
    out,
    '--rate',
    '1000',
    '--with-datasets',
    ...more,
  ];

  const cases: readonly (readonly [string, () => readonly string[]])[] = [
    ['export', () => exportWords('--full', '--log-level', 'debug')],
    ['export --json', () => exportWords('--full', '--json', '--log-level', 'debug')],
    ['export --dry-run', () => exportWords('--dry-run')],
    ['export of a service that answers with it', () => exportWords('--full', '--session', STEER)],
    ['an unknown flag', () => ['export', `--${STEER}`]],
    ['an unknown command', () => [STEER]],
    ['a bad setting', () => exportWords('--rate', STEER)],
    ['status', () => ['status', out]],
    ['status --user', () => ['status', out, '--user', USER]],
    ['status --json', () => ['status', out, '--user', USER, '--json']],
    ['status of an unknown user', () => ['status', out, '--user', `${USER}x`]],
    ['verify', () => ['verify', out]],
    ['verify --json', () => ['verify', out, '--json']],
    ['verify of nothing', () => ['verify', `${out}${STEER}`]],
    ['show of all sessions', () => ['show', out]],
    ['show', () => ['show', out, SESSION]],
    ['show --json', () => ['show', out, SESSION, '--json']],
    ['show of an unknown session', () => ['show', out, STEER]],
    ['prune', () => ['prune', out, '--dry-run']],
    ['prune --json', () => ['prune', out, '--dry-run', '--json']],
    ['files', () => ['files', out, 'jobs']],
    ['query as a table', () => ['query', out, 'SELECT * FROM blocks', '--output', 'table']],
    ['query --json', () => ['query', out, 'SELECT * FROM blocks', '--json']],
    ['a query that fails', () => ['query', out, `SELECT '${STEER}' FROM nowhere`]],
    ['search', () => ['search', out, 'evil']],
    ['search --json', () => ['search', out, 'evil', '--json']],
    ['search for it', () => ['search', out, `x${STEER}`]],
    ['a hold of an unknown user', () => ['hold', 'add', out, '--user', STEER, '--reason', 'x']],
    ['hold list', () => ['hold', 'list', out]],
    ['hold list --json', () => ['hold', 'list', out, '--json']],
    ['expire', () => ['expire', out, '--older-than', '1s', '--dry-run']],
    ['erase of what is held', () => ['erase', out, '--user', USER, '--yes']],
    ['workbook', () => ['workbook', out, '--user', USER, '--out', `${out}-${++packs}.xlsx`]],
    ['evidence', () => ['evidence', out, '--user', USER, '--out', `${out}-pack-${++packs}`]],
    ['report', () => ['report', out, '--out', `${out}-report-${++packs}`, '--title', STEER]],
    ['erase of an unknown user', () => ['erase', out, '--user', `${USER}x`, '--yes']],
    ['compact', () => ['compact', out]],
    ['sessions list', () => ['sessions', 'list', ...service()]],
    ['sessions list --json', () => ['sessions', 'list', ...service(), '--json']],
    ['sessions get', () => ['sessions', 'get', SESSION, ...service()]],
    ['sessions get of what is not there', () => ['sessions', 'get', STEER, ...service()]],
    ['sessions history', () => ['sessions', 'history', SESSION, ...service()]],
    ['datasets list', () => ['datasets', 'list', ...service()]],
    ['datasets overview', () => ['datasets', 'overview', 'dataset-1', ...service()]],
    ['doctor', () => ['doctor', ...service(), '--out', out]],
    ['config show', () => ['config', 'show', '--out', out]],
  ];
  let packs = 0;

  it.each(cases)('does not come out of %s on a terminal', async (_what, words) => {
    const end = await cliOnTerminal(words());
    const shown = end.stdout + end.stderr;
    expect(shown.length).toBeGreaterThan(10);
    expect(steering(shown.replaceAll(OWN, ''))).toBeNull();
  });

  it.each(cases)('does not come out of %s elsewhere', async (what, words) => {
    if (what === 'query --json') return; // rows are data there: see the test below
    for (const format of ['text', 'json']) {
      const environment = { JOBVAULT_API_KEY: 'demo-key', JOBVAULT_LOG_FORMAT: format };
      const end = await cli(words(), environment);
      expect(steering(end.stdout + end.stderr)).toBeNull();
    }
  });

  it('does not come out of an error that the service words', async () => {
    const answer = { kind: 'error', status: 400, code: 300001, message: STEER } as const;
    rig.emulator.faults.api = [{ answer }];
    for (const run of [cli, cliOnTerminal]) {
      const end = await run(exportWords('--full', '--json', '--log-level', 'debug'));
      expect(end.exitCode).not.toBe(0);
      expect(steering((end.stdout + end.stderr).replaceAll(OWN, ''))).toBeNull();
    }
    rig.emulator.faults.api = [];
  });

  it('stays in the rows of a query that no terminal reads', async () => {
    const end = await cli(['query', out, 'SELECT DISTINCT user_id FROM jobs', '--output', 'jsonl']);
    expect(JSON.parse(end.stdout)).toEqual({ user_id: USER });
  });
});

/** With what stands around it. */
function steering(text: string): string | null {
  const at = text.search(FORBIDDEN);
  return at < 0 ? null : JSON.stringify(text.slice(Math.max(0, at - 60), at + 20));
}
