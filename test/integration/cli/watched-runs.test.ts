/** What outsiders hear of a run: pings, webhooks and metrics, seen by a real server and read by a parser. */
import { readdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import parsePrometheus, { type MetricFamily } from 'parse-prometheus-text-format';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { metricsIn } from '../../support/base/metrics-folder.js';
import { artifactPaths } from '../../support/rigs/verify-rig.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { scriptedApi, type ScriptedApi } from '../../support/http/scripted-api.js';
import { testProxy } from '../../support/http/test-proxy.js';
import { formatDuration } from '../../../src/base/units.js';
import { fault } from '../../support/base/fault.js';

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
])(
  'a command line that is refused tells nobody but its caller: %s',
  fault('F-155'),
  async (_what, words) => {
    const night = [...ping(), ...webhook(), '--metrics-dir', rig.directory];
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    expect((await cli(exportWords(...night))).exitCode).toBe(3);
    const [told, left] = [seen().length, await metricsIn(rig.directory)];
    expect((await cli(exportWords(...night, ...words))).exitCode).toBe(2);
    expect(seen()).toHaveLength(told);
    expect(await metricsIn(rig.directory)).toBe(left);
  },
);

it('a drill of a share that makes no sense sets no alarm', async () => {
  await rig.export();
  const words = ['drill', rig.out, '--metrics-dir', rig.directory];
  expect((await cli(words)).exitCode).toBe(0);
  const left = await metricsIn(rig.directory);
  expect((await cli([...words, '--sample', '0'])).exitCode).toBe(2);
  expect(await metricsIn(rig.directory)).toBe(left);
});

it('what a run refuses after it began is told, and leaves the metrics of the night as they are', async () => {
  const night = [...ping(), '--metrics-dir', rig.directory];
  await cli(exportWords(...night));
  const left = await metricsIn(rig.directory);
  const nowhere = exportWords(...night, '--users-file', join(rig.directory, 'nowhere.csv'));
  expect((await cli(nowhere)).exitCode).toBe(2);
  expect(seen().slice(-2)).toEqual([`POST /ping/${TOKEN}/start`, `POST /ping/${TOKEN}/2`]);
  expect(await metricsIn(rig.directory)).toBe(left);
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
  expect(seen()).toEqual([]);
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

it('tells in the summary, and to every monitor, one time that the run has taken', async () => {
  rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
  const monitors = [...ping(), ...webhook(), '--metrics-dir', rig.directory];
  const told = async (words: readonly string[]) => {
    const { stdout } = await cli([...words, ...monitors, '--json']);
    const [body = '{}'] = monitor.seen
      .filter(({ url }) => url.startsWith('/hook'))
      .slice(-1)
      .map((one) => one.body);
    const [text] = monitor.seen
      .filter(({ url }) => /\d$/.test(url))
      .slice(-1)
      .map((one) => one.body);
    const { duration_ms: ms } = JSON.parse(stdout) as { duration_ms: number };
    const hook = JSON.parse(body) as { duration_ms: number; command: string };
    const metrics = await metricsIn(rig.directory);
    const gauge = new RegExp(
      `^jobvault_run_duration_seconds\\{command="${hook.command}".*\\} (.*)$`,
      'm',
    );
    expect(text).toContain(` after ${formatDuration(ms)}`);
    expect([hook.duration_ms, Math.round(Number(gauge.exec(metrics)?.[1]) * 1000)]).toEqual([
      ms,
      ms,
    ]);
  };
  await told(exportWords());
  await told(exportWords('--delete-archived', '--all', '--yes'));
  const service = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
  await told(['prune', rig.out, ...service, '--all', '--yes']);
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

describe('--metrics-dir', () => {
  const metrics = async (): Promise<readonly MetricFamily[]> =>
    parsePrometheus(await metricsIn(rig.directory)) ?? [];
  const words = () => ['--metrics-dir', rig.directory];
  const valueOf = (families: readonly MetricFamily[], name: string, labels: object = {}) => {
    // each file of the directory has the family of its own
    const samples = families.filter((family) => family.name === `jobvault_${name}`);
    const sample = samples
      .flatMap((family) => family.metrics)
      .find((metric) =>
        Object.entries(labels).every(([key, value]) => Reflect.get(metric.labels, key) === value),
      );
    return sample === undefined ? undefined : Number(sample.value);
  };

  it('names an archive by its full path: another directory may have one of that name', async () => {
    const out = relative(process.cwd(), rig.out);
    await cli(exportWords(...words()).map((word) => (word === rig.out ? out : word)));
    const [family] = await metrics();
    expect(family?.metrics[0]?.labels).toMatchObject({ archive: rig.out, scope: 'named' });
  });

  it('tells a parser of Prometheus’ format what the run did', async () => {
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

  it('counts the files that verify has read apart from those of which it saw only the size', async () => {
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
    const [lost = ''] = await artifactPaths(rig);
    await rm(join(rig.out, lost));
    const damaged = await ofVerify();
    expect(damaged.told).toEqual([whole.all - 1, 0, undefined, undefined]);
    expect(valueOf(await metrics(), 'run_files', { status: 'missing' })).toBe(1);
  });

  it('counts gaps by reason and answers with status 429', async () => {
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    rig.emulator.faults.api = [
      { first: 1, answer: { kind: 'error', status: 429, retryAfter: '0' } },
    ];
    await cli(exportWords(...words()));
    const families = await metrics();
    const lost = valueOf(families, 'gaps', { reason: 'missing' });
    expect(lost).toBeGreaterThan(0);
    expect(valueOf(families, 'run_rate_limited')).toBe(1);
    expect(valueOf(families, 'run_exit_code')).toBe(3);
    expect(valueOf(families, 'last_success_timestamp_seconds')).toBeUndefined();
  });

  it('has gaps, doubts and deletions at 0, and gaps as long as nobody has accepted them', async () => {
    await cli(exportWords(...words()));
    const whole = await metrics();
    for (const reason of ['missing', 'doubtful']) {
      expect(valueOf(whole, 'gaps', { reason })).toBe(0);
    }
    expect(valueOf(whole, 'accepted_gaps')).toBe(0);
    expect(valueOf(whole, 'run_deletions', { outcome: 'refused' })).toBe(0);
    rig.emulator.faults.files = [{ answer: { kind: 'status', status: 404 } }];
    const other = exportWords(...words()).map((word) => (word === rig.out ? `${word}-2` : word));
    const lost = async () => {
      expect((await cli(other)).exitCode).toBe(3);
      const text = await metricsIn(rig.directory);
      return /^jobvault_gaps\{.*-2".*reason="missing"\} (\d+)$/m.exec(text)?.[1];
    };
    const first = await lost();
    expect(Number(first)).toBeGreaterThan(0);
    expect(await lost()).toBe(first);
  });

  it('leaves nothing of another archive than the one of the configuration, but for a flag', async () => {
    await cli(exportWords());
    const copy = join(rig.directory, 'copy');
    await cli(['copy', rig.out, copy]);
    const config = join(rig.directory, 'jobvault.config.yaml');
    await writeFile(config, `out: ${rig.out}\nmetrics-dir: ${rig.directory}\n`);
    const verify = async (...more: string[]) => {
      expect((await cli(['verify', ...more, '--config', config])).exitCode).toBe(0);
      const named = /^jobvault_run_exit_code\{.*archive="(.*?)"/gm;
      return [...(await metricsIn(rig.directory)).matchAll(named)].map(([, archive]) => archive);
    };
    // whoever verifies a copy once would be told three days later that nobody does
    expect(await verify(copy)).toEqual([]);
    expect(await verify()).toEqual([rig.out]);
    expect(await verify(copy, '--metrics-dir', rig.directory)).toContain(copy);
  });

  it('an export to another archive than that of the configuration leaves nothing, but for a flag', async () => {
    const list = join(rig.directory, 'users.txt');
    await writeFile(list, rig.state.userIds().join('\n'));
    const config = join(rig.directory, 'jobvault.config.yaml');
    const other = join(rig.directory, 'other');
    const place = [`base-url: ${rig.emulator.baseUrl}`, `users-file: ${list}`, `out: ${rig.out}`];
    const monitors = [`metrics-dir: ${rig.directory}`, `ping-url: ${monitor.url}/ping/${TOKEN}`];
    await writeFile(config, [...place, ...monitors].join('\n'));
    const night = async (words: readonly string[] = [], environment = {}) => {
      const key = { JOBVAULT_API_KEY: 'demo-key' };
      const ran = await cli(['export', '--config', config, ...words], { ...key, ...environment });
      expect(ran.exitCode, ran.stderr).toBe(0);
      const named = /^jobvault_run_exit_code\{.*archive="(.*?)"/gm;
      const metrics = [...(await metricsIn(rig.directory)).matchAll(named)].map(([, at]) => at);
      return [metrics, seen().splice(0).length];
    };
    // the alarm of the night ends with the night alone
    expect(await night(['--out', other])).toEqual([[], 0]);
    expect(await night([], { JOBVAULT_OUT: other })).toEqual([[], 0]);
    expect(await night(['--out', relative('.', rig.out)])).toEqual([[rig.out], 2]);
    const flag = ['--out', other, '--metrics-dir', rig.directory];
    expect((await night(flag))[0]).toContain(other);
  });

  it('tells when the lap of a run with a budget began, and whether that is too long ago', async () => {
    const file = join(rig.directory, 'users.txt');
    await writeFile(file, rig.state.userIds().join('\n'));
    await cli(exportWords(...words(), '--users-file', file, '--max-requests', '100000'));
    const families = await metrics();
    const end = valueOf(families, 'last_run_timestamp_seconds') ?? 0;
    expect(valueOf(families, 'lap_began_timestamp_seconds')).toBeGreaterThan(end - 60);
    expect(valueOf(families, 'run_left', { of: 'sessions' })).toBe(0);
    expect(valueOf(families, 'run_overdue')).toBe(0);
  });

  it('has the doubtful files that status counts, also after a night that stored none', async () => {
    await using more = await ExportRig.start({ users: 3, sessions: 2, jobs: 2 });
    const users = more.state.userIds().flatMap((user) => ['--user', user]);
    const place = ['--base-url', more.emulator.baseUrl, '--out', more.out, '--rate', '1000'];
    for (const night of ['first', 'unchanged']) {
      const { exitCode } = await cli([
        'export',
        ...place,
        ...users,
        '--metrics-dir',
        more.directory,
      ]);
      expect(exitCode, night).toBe(0);
      const { stdout } = await cli(['status', more.out, '--json']);
      const { suspicious_files: files } = JSON.parse(stdout) as { suspicious_files: number };
      expect(files).toBeGreaterThan(0);
      expect(await metricsIn(more.directory)).toMatch(
        new RegExp(`^jobvault_suspicious_files\\{.*\\} ${files}$`, 'm'),
      );
    }
  });

  it('keeps the last success when a run fails', async () => {
    await cli(exportWords(...words()));
    const success = valueOf(await metrics(), 'last_success_timestamp_seconds');
    failEveryRequest();
    expect((await cli(exportWords(...words()))).exitCode).toBe(6);
    const families = await metrics();
    expect(valueOf(families, 'run_exit_code')).toBe(6);
    expect(valueOf(families, 'last_success_timestamp_seconds')).toBe(success);
  });

  it('gets one file of a command, and nothing else', async () => {
    await cli(exportWords(...words()));
    const names = await readdir(rig.directory);
    expect(names.filter((name) => /prom|tmp|lock/.test(name))).toEqual([
      expect.stringMatching(/^jobvault-[0-9a-f]{12}\.prom$/),
    ]);
  });

  it('that is not there is told before the run', async () => {
    const run = await cli(exportWords('--metrics-dir', join(rig.directory, 'no')));
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toMatch(/--metrics-dir .* cannot be written to \(ENOENT\)/);
    expect(run.stderr).not.toContain('could not be written'); // once is enough
    expect(rig.emulator.stats.totalRequests).toBe(0);
  });

  it('tells of verify and prune, too', async () => {
    await cli(exportWords());
    await cli(['verify', rig.out, ...words()]);
    expect(await metricsIn(rig.directory)).toMatch(
      /^jobvault_run_problems\{command="verify".*\} 0$/m,
    );
    const place = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
    const prune = ['prune', rig.out, ...place, '--all', '--yes'];
    await cli([...prune, ...words()]);
    const families = await metrics();
    const deleted = { command: 'prune', outcome: 'deleted' };
    expect(valueOf(families, 'run_deletions', deleted)).toBeGreaterThanOrEqual(0);
    expect(valueOf(families, 'last_run_timestamp_seconds', { command: 'prune' })).toBeDefined();
  });

  it('keeps what the night could not delete, whatever somebody prunes of one user or a plan', async () => {
    await cli(exportWords());
    await rm(join(rig.out, 'artifacts'), { recursive: true });
    const place = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
    const prune = (...more: string[]) => cli(['prune', rig.out, ...place, ...more]);
    expect((await prune('--all', '--yes', ...words())).exitCode).toBe(7);
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    const plan = join(rig.directory, 'plan.json');
    expect((await prune('--older-than', '9999d', '--save-plan', plan)).exitCode).toBe(0);
    const none = ['--older-than', '9999d', '--yes'];
    for (const [scope, chosen] of [
      ['named', ['--user', user, ...none]],
      ['part', ['--session', session, ...none]],
      ['part', ['--plan', plan, '--yes']],
    ] as const) {
      expect(await prune(...chosen, ...words())).toMatchObject({ exitCode: 0, stderr: '' });
      const text = await metricsIn(rig.directory);
      const refused = (of: string) =>
        new RegExp(
          `^jobvault_run_deletions\\{.*scope="${of}".*outcome="refused"\\} (\\d+)$`,
          'm',
        ).exec(text)?.[1];
      expect([refused('all'), refused(scope)]).toEqual(['1', '0']);
    }
    await prune(...none, ...words());
    expect(await metricsIn(rig.directory)).toMatch(/scope="all",outcome="refused"\} 0$/m);
  });
});

it('a monitor behind a proxy that does not run is told as one: the proxy is named', async () => {
  const proxy = await testProxy();
  await proxy[Symbol.asyncDispose]();
  const environment = {
    JOBVAULT_API_KEY: 'demo-key',
    HTTP_PROXY: proxy.url,
    NO_PROXY: `${new URL(rig.emulator.baseUrl).host},${new URL(rig.emulator.filesUrl).host}`,
  };
  const run = await cli(exportWords(...ping()), environment);
  expect(run.exitCode).toBe(0);
  expect(run.stderr).toContain(`the proxy ${proxy.host} cannot be reached: ECONNREFUSED`);
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
