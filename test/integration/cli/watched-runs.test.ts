/** What outsiders hear of a run: pings, webhooks and a metrics file, seen by a real server and read by a parser. */
import { readFile, readdir, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import parsePrometheus, { type MetricFamily } from 'parse-prometheus-text-format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { scriptedApi, type ScriptedApi } from '../../support/http/scripted-api.js';
import { testProxy } from '../../support/http/test-proxy.js';

const TOKEN = 'a1b2c3d4-canary-token';

let rig: ExportRig;
let monitor: ScriptedApi;

beforeEach(async () => {
  rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  monitor = await scriptedApi({ status: 200 });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await monitor[Symbol.asyncDispose]();
});

const exportWords = (...more: string[]) => [
  'export',
  '--base-url',
  rig.emulator.baseUrl,
  '--out',
  rig.out,
  '--rate',
  '1000',
  '--user',
  rig.state.userIds()[0] ?? '',
  ...more,
];
const ping = () => ['--ping-url', `${monitor.url}/ping/${TOKEN}`];
const webhook = () => ['--webhook-url', `${monitor.url}/hook/${TOKEN}`];
const seen = () => monitor.seen.map(({ method, url }) => `${method} ${url}`);
const failEveryRequest = () => {
  rig.emulator.faults.api = [{ answer: { kind: 'error', status: 403, code: 1004 } }];
};

it('--ping-url is told of the begin and of success', async () => {
  expect((await cli(exportWords(...ping()))).exitCode).toBe(0);
  expect(seen()).toEqual([`POST /ping/${TOKEN}/start`, `POST /ping/${TOKEN}`]);
  expect(monitor.seen[1]?.body).toMatch(/^jobvault export of .* is complete after .* archived/);
});

it('--ping-url is told the exit code of a run that failed', async () => {
  failEveryRequest();
  const { exitCode } = await cli(exportWords(...ping()));
  expect(exitCode).toBe(6);
  expect(seen()).toEqual([`POST /ping/${TOKEN}/start`, `POST /ping/${TOKEN}/6`]);
});

it.each([
  ['an unknown flag', ['--usr', 'ada']],
  ['a value that makes no sense', ['--rate', 'fast']],
  ['a configuration file that is not there', ['--config', 'nowhere.yaml']],
])('--ping-url hears of a run that ends before it begins: %s', async (_what, words) => {
  expect((await cli(exportWords(...ping(), ...words))).exitCode).toBe(2);
  expect(seen()).toEqual([`POST /ping/${TOKEN}/2`]);
});

it('--ping-url keeps its query', async () => {
  await cli(exportWords('--ping-url', `${monitor.url}/ping?create=1`));
  expect(seen()).toEqual(['POST /ping/start?create=1', 'POST /ping?create=1']);
});

it('--ping-url is not told of a rehearsal', async () => {
  expect((await cli(exportWords(...ping(), '--dry-run'))).exitCode).toBe(0);
  await cli(exportWords(...ping(), '--dry-run', '--usr', 'ada'));
  expect(seen()).toEqual([]);
});

it('--ping-url that nobody answers changes nothing, and its token is told nowhere', async () => {
  const address = `${monitor.url}/ping/${TOKEN}`;
  await monitor[Symbol.asyncDispose]();
  const run = await cli(exportWords('--ping-url', address, '--log-level', 'debug'));
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain('the ping could not be delivered');
  expect(run.stderr).toContain(monitor.host);
  expect(run.stdout + run.stderr).not.toContain(TOKEN);
});

it('--ping-url that answers with an error is tried twice, and told in the log', async () => {
  await using away = await scriptedApi({ status: 503 });
  const run = await cli(exportWords('--ping-url', away.url));
  expect(run.exitCode).toBe(0);
  expect(away.seen).toHaveLength(4);
  expect(run.stderr).toContain('answered 503');
});

it('--ping-url that is no address is refused without being shown', async () => {
  const run = await cli(exportWords('--ping-url', `ftp://host/${TOKEN}`, ...webhook()));
  expect(run.exitCode).toBe(2);
  expect(run.stderr).toContain('--ping-url');
  expect(run.stdout + run.stderr).not.toContain(TOKEN);
  expect(seen()).toEqual([`POST /hook/${TOKEN}`]);
});

it('--ping-url may be a variable, or a key of the configuration file', async () => {
  const environment = {
    JOBVAULT_API_KEY: 'demo-key',
    JOBVAULT_PING_URL: `${monitor.url}/p`,
    JOBVAULT_USER: rig.state.userIds()[0] ?? '',
  };
  const flag = exportWords().indexOf('--user');
  await cli(exportWords().toSpliced(flag, 2), environment);
  expect(seen()).toEqual(['POST /p/start', 'POST /p']);
});

it('--webhook-url hears nothing of success', async () => {
  await cli(exportWords(...webhook()));
  expect(seen()).toEqual([]);
});

it('--webhook-url is sent what failed as JSON', async () => {
  failEveryRequest();
  await cli(exportWords(...webhook()));
  const [request] = monitor.seen;
  expect(request?.headers['content-type']).toBe('application/json');
  expect(JSON.parse(request?.body ?? '')).toMatchObject({
    event: 'run_ended',
    command: 'export',
    archive: rig.out,
    status: 'failed',
    exit_code: 6,
    error: expect.stringContaining('could not list sessions'),
    text: expect.stringMatching(/^jobvault export of .* failed \(exit code 6\) after /),
  });
  expect(request?.body).not.toContain('demo-key');
});

it('--webhook-url is sent the gaps by reason', async () => {
  rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
  expect((await cli(exportWords(...webhook()))).exitCode).toBe(3);
  expect(JSON.parse(monitor.seen[0]?.body ?? '')).toMatchObject({
    status: 'gaps',
    exit_code: 3,
    error: null,
    counts: { gaps: { missing: expect.any(Number) }, jobs: expect.any(Number) },
    text: expect.stringMatching(/gaps: \d+ missing/),
  });
});

it('--webhook-url is sent just a text in Slack’s format', async () => {
  failEveryRequest();
  await cli(exportWords(...webhook(), '--webhook-format', 'slack'));
  const body = JSON.parse(monitor.seen[0]?.body ?? '') as object;
  expect(Object.keys(body)).toEqual(['text']);
});

describe('--metrics-file', () => {
  const metrics = async (): Promise<readonly MetricFamily[]> =>
    parsePrometheus(await readFile(join(rig.directory, 'jobvault.prom'), 'utf8')) ?? [];
  const words = () => ['--metrics-file', join(rig.directory, 'jobvault.prom')];
  const valueOf = (families: readonly MetricFamily[], name: string, labels: object = {}) => {
    const family = families.find((one) => one.name === `jobvault_${name}`);
    const sample = family?.metrics.find((one) =>
      Object.entries(labels).every(([key, value]) => Reflect.get(one.labels, key) === value),
    );
    return sample === undefined ? undefined : Number(sample.value);
  };

  it('--metrics-file names an archive by its full path: another machine or directory may have one of that name', async () => {
    const out = relative(process.cwd(), rig.out);
    await cli(exportWords(...words()).map((word) => (word === rig.out ? out : word)));
    const [family] = await metrics();
    expect(family?.metrics[0]?.labels).toMatchObject({ archive: rig.out, scope: 'named' });
  });

  it('--metrics-file tells a parser of Prometheus’ format what the run did', async () => {
    const before = Date.now() / 1000;
    const run = await cli(exportWords(...words(), '--json'));
    const summary = JSON.parse(run.stdout) as {
      rows: Record<string, number>;
      artifacts: { bytes: number; stored: number };
      requests: { api: number; files: number };
    };
    const families = await metrics();
    for (const { type, help, metrics: samples } of families) {
      expect(type).toBe('GAUGE');
      expect(help).not.toBe('');
      for (const { labels } of samples) {
        expect(labels).toMatchObject({ command: 'export', archive: rig.out, host: hostname() });
      }
    }
    expect(valueOf(families, 'run_exit_code')).toBe(0);
    expect(valueOf(families, 'last_success_timestamp_seconds')).toBeGreaterThanOrEqual(before);
    for (const [table, count] of Object.entries(summary.rows)) {
      expect(valueOf(families, 'run_rows', { table })).toBe(count);
    }
    expect(valueOf(families, 'run_file_bytes')).toBe(summary.artifacts.bytes);
    expect(valueOf(families, 'run_files', { status: 'stored' })).toBe(summary.artifacts.stored);
    expect(valueOf(families, 'run_requests', { to: 'service' })).toBe(summary.requests.api);
    expect(valueOf(families, 'run_requests', { to: 'files' })).toBe(summary.requests.files);
    expect(valueOf(families, 'run_duration_seconds')).toBeGreaterThan(0);
  });

  it('--metrics-file counts the files that a verify has read back apart from those of which it saw only the size', async () => {
    await cli(exportWords());
    const ofVerify = async (...part: string[]) => {
      const { stdout } = await cli(['verify', rig.out, ...words(), '--json', ...part]);
      const report = JSON.parse(stdout) as { files: number; artifacts: number; unread: number };
      const families = await metrics();
      expect(families.find(({ name }) => name === 'jobvault_run_files')).toMatchObject({
        help: 'Files that jobs of the last run point to; of verify those of the archive, read back or only seen',
      });
      const labels = ['read_back', 'not_read', 'tables', 'artifacts'];
      const told = labels.map((status) => valueOf(families, 'run_files', { status }));
      return { told, unread: report.unread, all: report.files + report.artifacts };
    };
    const whole = await ofVerify();
    expect(whole.told).toEqual([whole.all, 0, undefined, undefined]);
    const { told, unread, all } = await ofVerify('--slice', '1/30');
    expect(unread).toBeGreaterThan(0);
    expect(told).toEqual([all - unread, unread, undefined, undefined]);
  });

  it('--metrics-file counts gaps by reason and answers with status 429', async () => {
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    rig.emulator.faults.api = [
      { first: 1, answer: { kind: 'error', status: 429, retryAfter: '0' } },
    ];
    await cli(exportWords(...words()));
    const families = await metrics();
    const lost = valueOf(families, 'run_gaps', { reason: 'missing' });
    expect(lost).toBeGreaterThan(0);
    expect(valueOf(families, 'run_new_gaps')).toBe(lost);
    expect(valueOf(families, 'run_rate_limited')).toBe(1);
    expect(valueOf(families, 'run_exit_code')).toBe(3);
    expect(valueOf(families, 'last_success_timestamp_seconds')).toBeUndefined();
  });

  it('--metrics-file has gaps, doubts and deletions at 0, and gaps that the log had before are not new', async () => {
    await cli(exportWords(...words()));
    const atZero = async (archive = rig.out) => {
      const families = await metrics();
      return ['run_new_gaps', 'run_new_doubts', 'run_accepted_gaps']
        .map((name) => valueOf(families, name, { archive }))
        .concat(valueOf(families, 'run_deletions', { archive, outcome: 'refused' }));
    };
    expect(await atZero()).toEqual([0, 0, 0, 0]);
    const whole = await metrics();
    expect(valueOf(whole, 'run_gaps', { reason: 'missing' })).toBe(0);
    expect(valueOf(whole, 'run_gaps', { reason: 'doubtful' })).toBe(0);
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    const other = exportWords(...words()).map((word) => (word === rig.out ? `${word}-2` : word));
    expect([(await cli(other)).exitCode, (await cli(other)).exitCode]).toEqual([3, 3]);
    const second = { archive: `${rig.out}-2`, reason: 'missing' };
    expect(valueOf(await metrics(), 'run_gaps', second)).toBeGreaterThan(0);
    expect(await atZero(second.archive)).toEqual([0, 0, 0, 0]);
  });

  it('--metrics-file tells since when the oldest of what a budget left waits, and now if nothing waits', async () => {
    await cli(exportWords(...words(), '--max-requests', '100000'));
    const families = await metrics();
    const end = valueOf(families, 'last_run_timestamp_seconds') ?? 0;
    expect(valueOf(families, 'oldest_check_timestamp_seconds')).toBeGreaterThan(end - 60);
    expect(valueOf(families, 'run_left', { of: 'sessions' })).toBe(0);
    expect(valueOf(families, 'run_overdue', { of: 'users' })).toBe(0);
  });

  it('--metrics-file keeps the last success when a run fails, whenever it fails', async () => {
    await cli(exportWords(...words()));
    const success = valueOf(await metrics(), 'last_success_timestamp_seconds');
    failEveryRequest();
    for (const [exitCode, more] of [
      [6, []],
      [2, ['--rate', 'fast']],
      [2, ['--usr', 'ada']],
    ] as const) {
      expect((await cli(exportWords(...words(), ...more))).exitCode).toBe(exitCode);
      const families = await metrics();
      expect(valueOf(families, 'run_exit_code')).toBe(exitCode);
      expect(valueOf(families, 'last_success_timestamp_seconds')).toBe(success);
    }
  });

  it('--metrics-file forgets a place that the configuration does not name any more a week after its last run, and says so', async () => {
    const [config, file] = [join(rig.directory, 'c.yaml'), join(rig.directory, 'jobvault.prom')];
    await writeFile(config, `out: ${rig.out}\nmetrics-file: ${file}\n`);
    const flag = exportWords().indexOf('--out');
    const ownWords = [...exportWords().toSpliced(flag, 2), '--config', config];
    const once = join(rig.directory, 'named-once');
    expect((await cli([...ownWords, '--out', once])).exitCode).toBe(0);
    const places = async () => {
      const family = (await metrics()).find(({ name }) => name === 'jobvault_run_exit_code');
      return family?.metrics.map(({ labels }) => (labels as { archive?: string }).archive);
    };
    const night = await cli(ownWords);
    expect([await places(), night.stderr]).toEqual([
      [once, rig.out],
      expect.not.stringContaining(once),
    ]);
    const eightDaysAgo = Date.now() / 1000 - 8 * 86_400;
    const text = await readFile(file, 'utf8');
    const line = /^(jobvault_last_run_timestamp_seconds\{.*named-once.*\}) .*$/m;
    await writeFile(file, text.replace(line, `$1 ${eightDaysAgo}`));
    // a run of another place decides nothing
    await cli([...ownWords, '--out', join(rig.directory, 'third')]);
    expect(await places()).toContain(once);
    const { stderr } = await cli([...ownWords, '--log-level', 'warn', '--log-format', 'json']);
    expect(await readFile(file, 'utf8')).not.toContain(once);
    expect(
      stderr
        .split('\n')
        .filter((one) => one.includes(once))
        .map((one) => JSON.parse(one) as unknown),
    ).toEqual([
      expect.objectContaining({
        level: 'warn',
        place: once,
        msg: 'the metrics of a place that the configuration does not name any more were removed from the metrics file: no run of it has ended for a week, or none has ever read or saved anything',
      }),
    ]);
  });

  describe('of which several lie in one directory', () => {
    const place = (name: string) => join(rig.directory, name);
    const codesIn = async (name: string) =>
      (await readFile(place(name), 'utf8'))
        .split('\n')
        .filter((line) => line.startsWith('jobvault_run_exit_code{'))
        .map((line) => line.replace(/^.*command="(\w+)".* /, '$1 '));

    it('--metrics-file of which several lie in one directory has the series of a command in the last one written only: of two, node_exporter serves the older', async () => {
      await cli(exportWords(...words()));
      const verify = async (archive: string, name: string) =>
        (await cli(['verify', archive, '--metrics-file', place(name)])).exitCode;
      expect(await verify(rig.out, 'night.prom')).toBe(0);
      const success = () =>
        metrics().then((all) =>
          valueOf(all, 'last_success_timestamp_seconds', { command: 'verify' }),
        );
      const elsewhere = (await readFile(place('night.prom'), 'utf8')).replaceAll(
        /host="[^"]*"/g,
        'host="another"',
      );
      await writeFile(place('another.prom'), elsewhere);
      const before = /^jobvault_last_success\S+ (\S+)$/m.exec(elsewhere)?.[1];
      const [table = ''] = (await readdir(join(rig.out, 'tables/jobs'), { recursive: true }))
        .filter((name) => name.endsWith('.parquet') && !name.includes('_delta_log'))
        .map((name) => join(rig.out, 'tables/jobs', name));
      const whole = await readFile(table);
      await writeFile(table, 'damaged');
      expect(await verify(rig.out, 'jobvault.prom')).toBe(4);
      expect([await codesIn('jobvault.prom'), await codesIn('night.prom')]).toEqual([
        ['export 0', 'verify 4'],
        [],
      ]);
      expect(await success()).toBe(Number(before));
      await writeFile(table, whole);
      expect(await verify(rig.out, 'night.prom')).toBe(0);
      expect([await codesIn('jobvault.prom'), await codesIn('night.prom')]).toEqual([
        ['export 0'],
        ['verify 0'],
      ]);
      // another machine's are its own
      expect(await readFile(place('another.prom'), 'utf8')).toBe(elsewhere);
    });

    it('--metrics-file of which several lie in one directory loses nothing where runs end at the same time', async () => {
      await rig.export();
      const ran = await Promise.all(
        Array.from({ length: 8 }, (_, at) => cli(['verify', `${rig.out}-${at}`, ...words()])),
      );
      expect(new Set(ran.map(({ exitCode }) => exitCode)).size).toBe(1);
      expect(await codesIn('jobvault.prom')).toHaveLength(8);
      expect((await readdir(rig.directory)).filter((name) => name.startsWith('.'))).toEqual([]);
    });

    it.each([
      ['a minute ago', -60],
      ['by a clock that was put back by an hour since', 3600],
    ])(
      '--metrics-file does not wait for ever for a run that was killed %s while it wrote',
      async (_, fromNow) => {
        await rig.export();
        await writeFile(place('.jobvault-metrics.lock'), '');
        const then = Date.now() / 1000 + fromNow;
        await utimes(place('.jobvault-metrics.lock'), then, then);
        expect((await cli(['verify', rig.out, ...words()])).exitCode).toBe(0);
        expect(await codesIn('jobvault.prom')).toEqual(['verify 0']);
        expect((await readdir(rig.directory)).filter((name) => name.startsWith('.'))).toEqual([]);
      },
    );
  });

  it('--metrics-file leaves nothing else in its directory', async () => {
    await cli(exportWords(...words()));
    const names = await readdir(rig.directory);
    expect(names.filter((name) => name.includes('prom'))).toEqual(['jobvault.prom']);
  });

  it('--metrics-file replaces no other file, and above all none of the archive', async () => {
    await rig.export();
    const identity = join(rig.out, 'jobvault.json');
    const before = await readFile(identity, 'utf8');
    const { exitCode, stderr } = await cli(exportWords('--metrics-file', identity));
    expect(exitCode).toBe(2);
    expect(stderr).toContain('exists and is not a metrics file; allowed is a new file');
    expect(await readFile(identity, 'utf8')).toBe(before);
    // also where the command ends before it looks at the file
    await cli(['export', '--rate', 'fast', '--metrics-file', identity]);
    expect(await readFile(identity, 'utf8')).toBe(before);
  });

  it('in a directory that is not there is told before the run', async () => {
    const run = await cli(exportWords('--metrics-file', join(rig.directory, 'no', 'm.prom')));
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(/--metrics-file .* cannot be written \(ENOENT\)/);
    expect(run.stderr).not.toContain('could not be written'); // once is enough
    expect(rig.emulator.stats.totalRequests).toBe(0);
  });

  it('--metrics-file tells of verify and prune, too', async () => {
    await cli(exportWords());
    await cli(['verify', rig.out, ...words()]);
    expect(valueOf(await metrics(), 'run_problems', { command: 'verify' })).toBe(0);
    const place = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
    const prune = ['prune', rig.out, ...place, '--all', '--yes'];
    await cli([...prune, ...words()]);
    const families = await metrics();
    const deleted = { command: 'prune', outcome: 'deleted' };
    expect(valueOf(families, 'run_deletions', deleted)).toBeGreaterThanOrEqual(0);
    expect(valueOf(families, 'last_run_timestamp_seconds', { command: 'prune' })).toBeDefined();
  });
});

it('monitors are reached through the proxy that the environment names', async () => {
  await using proxy = await testProxy({ credentials: 'ops:canary-pass' });
  const environment = {
    JOBVAULT_API_KEY: 'demo-key',
    HTTP_PROXY: `http://ops:canary-pass@${proxy.host}`,
    // the service itself is reached directly
    NO_PROXY: new URL(rig.emulator.baseUrl).host,
  };
  const run = await cli(exportWords(...ping(), '--log-level', 'debug'), environment);
  expect(seen()).toEqual([`POST /ping/${TOKEN}/start`, `POST /ping/${TOKEN}`]);
  const hosts = proxy.seen.map(({ target }) => target);
  expect(hosts.filter((target) => target.includes(monitor.host))).not.toHaveLength(0);
  expect(run.stderr).not.toContain('canary-pass');
});
