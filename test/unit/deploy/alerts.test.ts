/** The alerts and the board of config/deploy name metrics that exist, and the alerts go off when they should. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { metricsText } from '../../../src/telemetry/metrics.js';
import { promtool } from '../../services/programs.js';

const pathOf = (file: string): string =>
  fileURLToPath(new URL(`../../../config/deploy/${file}`, import.meta.url));
const textOf = (file: string): string => readFileSync(pathOf(file), 'utf8');
const descriptionOf = (name: string): string => {
  const { groups } = parse(textOf('alerts.yml')) as {
    groups: { rules: { alert: string; annotations: { description: string } }[] }[];
  };
  const found = groups[0]?.rules.find(({ alert }) => alert === name);
  return found?.annotations.description ?? '';
};
const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bjobvault_([a-z_]+)/g)].map(([, name = '']) => name)),
];
const table = [
  ...(textOf('README.md').split('# Metrics')[1] ?? '').matchAll(/^\| `([a-z_]+)` /gm),
].map(([, name]) => name);

/** A run that has every count there is. */
const everything = metricsText({
  command: 'export',
  archive: '/a',
  config: null,
  host: 'h',
  scope: 'all',
  run: '01K',
  outcome: 'complete',
  exitCode: 0,
  error: null,
  startedAtMs: 0,
  durationMs: 0,
  version: '0',
  counts: {
    ...{ users: { complete: 1 }, sessions: { new: 1 }, jobs: 1, rows: { jobs: 1 } },
    ...{ files: { stored: 1 }, suspicious: 0, bytes: 1, gaps: { missing: 0 }, doubtfulList: 0 },
    ...{
      leftGaps: 0,
      acceptedGaps: 0,
      acceptedDoubts: 0,
      deletions: { refused: 0 },
      left: { users: 0 },
    },
    ...{ overdue: 0, lapBeganMs: 0, requests: { service: 1 }, retries: 0 },
    ...{ rateLimited: 0, clockGapMs: 0, problems: 0 },
  },
});
const known = metricsIn(everything);

it('the metrics are each in the table of config/deploy, which has no others', () => {
  expect(table.toSorted()).toEqual(known.toSorted());
});

it.each(['alerts.yml', 'dashboard.json'])('the metrics that %s reads exist', (file) => {
  const read = metricsIn(textOf(file));
  expect(read.length).toBeGreaterThan(5);
  expect(known).toEqual(expect.arrayContaining(read));
});

it('every place of the board has a query, and no place is taken twice', () => {
  const { panels } = JSON.parse(textOf('dashboard.json')) as {
    panels: { gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
  };
  for (const { targets } of panels) expect(targets[0]?.expr).toContain('archive=~"$archive"');
  const places = panels.map(({ gridPos: { x, y } }) => `${x},${y}`);
  expect(new Set(places).size).toBe(places.length);
});

it("no alert proposes a plan of deletions without the night's rules: it would refuse nothing", () => {
  const text = textOf('alerts.yml');
  expect(text).toContain('with its own rules and with --dry-run');
  expect(text).not.toMatch(/jobvault prune|--delete-archived/);
});

const LABELS = 'command="export",archive="/a",host="h",scope="all"';
const series = (name: string, values: string, more = '') => ({
  series: `jobvault_${name}{${LABELS}${more}}`,
  values,
});

const EACH_NIGHT = series('last_run_timestamp_seconds', '0x23 86400x20');

const FOUR_NIGHTS = '0x23 86400x23 172800x23 259200x23';
const FOUR_EXPORTS = ['last_run_timestamp_seconds', 'last_success_timestamp_seconds'].map((name) =>
  series(name, FOUR_NIGHTS),
);
const seriesOf = (command: string) => (name: string, values: string) => ({
  series: series(name, values).series.replace('"export"', `"${command}"`),
  values,
});
const verified = seriesOf('verify');
const drilled = seriesOf('drill');
const worked = seriesOf('worker');

/** What is seen each hour, and the summaries of the alerts that go off after 30 hours, or so many. */
const SCENES: readonly [string, ReturnType<typeof series>[], string[], number?][] = [
  [
    'two shards of one archive: one has a gap, the other has more users, and neither has fewer',
    [
      series('gaps', '1x43', ',shard="1/2",reason="missing"'),
      series('gaps', '0x43', ',shard="2/2",reason="missing"'),
      series('run_users', '10x43', ',shard="1/2",state="total"'),
      series('run_users', '20x43', ',shard="2/2",state="total"'),
    ],
    ['Gaps and doubts in /a, shard 1/2, that nobody has accepted: 1'],
  ],
  [
    'a whole run each night with accepted gaps sets off nothing',
    [
      series('last_success_timestamp_seconds', '0x23 86400x20'),
      series('last_run_timestamp_seconds', '0x23 86400x20'),
      series('run_exit_code', '0x60'),
      series('gaps', '0x60', ',reason="missing"'),
      series('run_users', '300x60', ',state="total"'),
      series('run_users', '4x60', ',state="never_seen"'),
      series('run_users', '0x60', ',state="newly_never_seen"'),
      series('run_users', '4x60', ',state="vanished"'),
      series('run_users', '0x60', ',state="newly_vanished"'),
      series('accepted_gaps', '2x60'),
      series('run_doubtful_list', '0x60'),
      series('run_users', '0x60', ',state="at_the_cap"'),
      series('run_deletions', '0x60', ',outcome="refused"'),
      series('run_users', '0x60', ',state="lost"'),
      series('run_overdue', '0x60', ',of="users"'),
      series('run_problems', '0x60'),
      series('run_clock_gap_seconds', '-300x60'),
    ],
    [],
  ],
  [
    'a run each night that ends with gaps, none of them new: they are told as long as nobody has accepted them, and no night has failed',
    [
      series('last_success_timestamp_seconds', '0x60'),
      series('last_run_timestamp_seconds', '0x23 86400x20'),
      series('run_exit_code', '3x60'),
      series('gaps', '380x60', ',reason="missing"'),
      series('gaps', '2x60', ',reason="failed"'),
      series('gaps', '5x60', ',reason="doubtful"'),
    ],
    ['Gaps and doubts in /a that nobody has accepted: 387'],
  ],
  [
    'a run each night that reads everybody and whose deletion of one session is refused: it is told as that',
    [
      series('last_success_timestamp_seconds', '0x60'),
      series('last_run_timestamp_seconds', '0x23 86400x20'),
      series('run_exit_code', '7x60'),
      series('run_deletions', '1x60', ',outcome="refused"'),
      series('run_deletions', '4x60', ',outcome="deleted"'),
    ],
    [
      'jobvault export of /a ended with exit code 7',
      'Sessions of /a that were not deleted from the service: 1',
    ],
  ],
  [
    'runs of which the service refuses a user, and no deletion is refused: not everybody is read',
    [
      series('last_success_timestamp_seconds', '0x60'),
      series('last_run_timestamp_seconds', '0x23 86400x20'),
      series('run_exit_code', '7x60'),
      series('run_deletions', '0x60', ',outcome="refused"'),
    ],
    ['No complete export of /a for 1d 6h 0m 0s', 'jobvault export of /a ended with exit code 7'],
  ],
  [
    'a night whose deletion was refused, and none since',
    [
      series('last_success_timestamp_seconds', '0x60'),
      series('last_run_timestamp_seconds', '0x60'),
      series('run_exit_code', '7x60'),
      series('run_deletions', '1x60', ',outcome="refused"'),
    ],
    [
      'No complete export of /a for 1d 6h 0m 0s',
      'jobvault export of /a ended with exit code 7',
      'No export of /a has ended for 1d 6h 0m 0s',
      'Sessions of /a that were not deleted from the service: 1',
    ],
  ],
  [
    'a run each night whose budget leaves users, none of them for too long, sets off nothing',
    [
      series('last_success_timestamp_seconds', '0x60'),
      EACH_NIGHT,
      series('run_exit_code', '0x60'),
      series('run_left', '7x60', ',of="users"'),
      series('run_overdue', '0x60', ',of="users"'),
      series('gaps', '3x60', ',reason="incomplete"'),
      series('left_gaps', '3x60'),
    ],
    [],
  ],
  [
    'a gap beside what a budget has left counts alone',
    [
      series('last_success_timestamp_seconds', '86400x60'),
      EACH_NIGHT,
      series('run_exit_code', '0x60'),
      series('gaps', '3x60', ',reason="incomplete"'),
      series('gaps', '1x60', ',reason="missing"'),
      series('left_gaps', '3x60'),
    ],
    ['Gaps and doubts in /a that nobody has accepted: 1'],
  ],
  [
    'a run of a part, and one of one person, that failed or succeeded: only the night counts',
    [
      series('last_success_timestamp_seconds', '0x60'),
      series('last_run_timestamp_seconds', '0x60'),
      ...['part', 'named'].flatMap((scope) =>
        [
          series('last_success_timestamp_seconds', '86400x60'),
          series('last_run_timestamp_seconds', '86400x60'),
          series('run_exit_code', '2x60'),
          series('gaps', '4x60', ',reason="missing"'),
        ].map(({ series: name, values }) => ({
          series: name.replace('"all"', `"${scope}"`),
          values,
        })),
      ),
    ],
    ['No complete export of /a for 1d 6h 0m 0s', 'No export of /a has ended for 1d 6h 0m 0s'],
  ],
  [
    'no run since 30 hours',
    [
      series('last_success_timestamp_seconds', '0x60'),
      series('last_run_timestamp_seconds', '0x60'),
      series('run_exit_code', '0x60'),
    ],
    ['No complete export of /a for 1d 6h 0m 0s', 'No export of /a has ended for 1d 6h 0m 0s'],
  ],
  [
    'runs that fail, and none that ever succeeded',
    [series('last_run_timestamp_seconds', '0x23 86400x20'), series('run_exit_code', '6x60')],
    ['jobvault export of /a ended with exit code 6'],
  ],
  ['no metrics at all', [], ['No metrics of any export or worker reach Prometheus']],
  [
    'an outage: it is told as one',
    [series('run_exit_code', '5x60'), EACH_NIGHT],
    ['jobvault export of /a ended with exit code 5'],
  ],
  [
    'a misspelt user',
    [
      series('run_users', '3x60', ',state="never_seen"'),
      series('run_users', '1x60', ',state="newly_never_seen"'),
    ],
    ['New users of /a who have never had a session: 1'],
  ],
  [
    'a user who has vanished from the service',
    [
      series('run_users', '3x60', ',state="vanished"'),
      series('run_users', '1x60', ',state="newly_vanished"'),
    ],
    ['Users of /a of whom the service lists nothing any more: 1'],
  ],
  [
    'a users file that has lost a line',
    [series('run_users', '2x20 1x40', ',state="total"')],
    ['Users whom the export of /a leaves out and read in the last two weeks: at least 1'],
  ],
  [
    'a users file that has lost two lines in the night in which two others came in',
    [
      series('run_users', '360x60', ',state="total"'),
      series('run_users', '0x20 2x40', ',state="newly_left_out"'),
    ],
    ['Users whom the export of /a leaves out and read in the last two weeks: at least 2'],
  ],
  [
    'a users file that has lost three lines in the night in which one other came in',
    [
      series('run_users', '5x20 3x40', ',state="total"'),
      series('run_users', '0x20 3x40', ',state="newly_left_out"'),
    ],
    ['Users whom the export of /a leaves out and read in the last two weeks: at least 3'],
  ],
  [
    'a night after others have come into a users file for those that it has lost',
    [
      series('run_users', '360x60', ',state="total"'),
      series('run_users', '0x5 2x20 0x40', ',state="newly_left_out"'),
    ],
    [],
  ],
  ...(
    [
      ['ten nights after it has lost a line', '5x20 3x400', 260, [2]],
      ['a night after it has its lines again', '5x20 3x48 5x400', 100, []],
      ['two weeks after it has lost a line, which somebody must have seen', '5x20 3x400', 380, []],
    ] as const
  ).map(([when, values, hours, fewer]): (typeof SCENES)[number] => [
    `a users file ${when}`,
    [
      series('last_run_timestamp_seconds', '0+3600x400'),
      series('run_users', values, ',state="total"'),
      verified('last_success_timestamp_seconds', '0+3600x400'),
    ],
    fewer.map(
      (count) =>
        `Users whom the export of /a leaves out and read in the last two weeks: at least ${count}`,
    ),
    hours,
  ]),
  [
    'a clock that is ten days ahead: the last run is in the future',
    [
      series('last_run_timestamp_seconds', '864000x60'),
      series('last_success_timestamp_seconds', '864000x60'),
      series('run_exit_code', '0x60'),
    ],
    ['The clock by which export of /a runs is wrong by 8d 18h 0m 0s'],
  ],
  [
    'a clock that was set right, after which no run has succeeded',
    [
      EACH_NIGHT,
      series('last_success_timestamp_seconds', '864000x60'),
      series('run_exit_code', '6x60'),
    ],
    [
      'The clock by which export of /a runs is wrong by 8d 18h 0m 0s',
      'jobvault export of /a ended with exit code 6',
    ],
  ],
  [
    'a clock that is behind the service',
    [series('run_clock_gap_seconds', '-301x60')],
    ['The clock by which export of /a runs is wrong by 5m 1s'],
  ],
  [
    'a list of users that became a sign-in page',
    [series('run_doubtful_list', '1x60')],
    ['The list of users of /a cannot be right, or the API key is that of another project'],
  ],
  [
    'users at the cap',
    [series('run_users', '2x60', ',state="at_the_cap"')],
    ['Users of /a with 140 conversations or more at the service, which keeps 150: 2'],
  ],
  [
    'refused deletions',
    [series('run_deletions', '3x60', ',outcome="refused"')],
    ['Sessions of /a that were not deleted from the service: 3'],
  ],
  [
    'a lap that takes long',
    [series('lap_began_timestamp_seconds', '-691200x60')],
    ['The lap round all sessions of /a has been under way for 9d 6h 0m 0s'],
  ],
  [
    'a budget that is too small',
    [series('run_overdue', '1x60')],
    ['The lap round all sessions of /a takes longer than --max-staleness'],
  ],
  [
    'a queue that lost users',
    [series('run_users', '7x60', ',state="lost"')],
    ['Users of /a whom the queue has lost: 7'],
  ],
  ['damage', [verified('run_problems', '1x60')], ['Problems that verify found in /a: 1']],
  [
    'a drill that did not come back',
    [drilled('run_problems', '3x60')],
    ['Differences that a drill of /a found: 3'],
  ],
  [
    'a drill that has stopped: its last success is 39 days old when this begins',
    [drilled('last_success_timestamp_seconds', '-3369600x60')],
    ['No drill of /a has succeeded for 40d 6h 0m 0s'],
  ],
  [
    'a verify that stopped after its first night',
    [...FOUR_EXPORTS, verified('last_success_timestamp_seconds', '0x90')],
    ['No verify of /a has succeeded for 3d 3h 0m 0s'],
    75,
  ],
  [
    'a verify that ends without success from its first night on',
    [
      ...FOUR_EXPORTS,
      verified('last_run_timestamp_seconds', FOUR_NIGHTS),
      verified('run_exit_code', '0x90'),
    ],
    ['No verify of /a has ever succeeded'],
    75,
  ],
  [
    'exports beside which no verify ever ran',
    FOUR_EXPORTS,
    ['No verify of /a has ever succeeded'],
    75,
  ],
  [
    'workers that ended, and are started no more',
    [
      worked('last_success_timestamp_seconds', '0x60'),
      worked('last_run_timestamp_seconds', '0x60'),
    ],
    ['No complete worker of /a for 1d 6h 0m 0s', 'No worker of /a has ended for 1d 6h 0m 0s'],
  ],
  [
    'workers of each night that end with gaps: no night has failed',
    [
      worked('last_success_timestamp_seconds', '0x60'),
      worked('last_run_timestamp_seconds', '0x23 86400x20'),
      worked('run_exit_code', '3x60'),
    ],
    [],
  ],
  [
    'workers beside which no verify ever ran',
    [worked('last_run_timestamp_seconds', FOUR_NIGHTS)],
    ['No verify of /a has ever succeeded'],
    75,
  ],
  [
    'gaps, and then a night that fails before it reads anybody: both are told',
    [
      series('last_run_timestamp_seconds', '0x23 86400x20'),
      series('gaps', '2x60', ',reason="missing"'),
      series('run_exit_code', '3x20 9x40'),
    ],
    [
      'jobvault export of /a ended with exit code 9',
      'Gaps and doubts in /a that nobody has accepted: 2',
    ],
  ],
  [
    'a verify each night, also on another machine: it sets off nothing',
    [
      ...FOUR_EXPORTS,
      ...[verified('last_success_timestamp_seconds', FOUR_NIGHTS)].map(
        ({ series: name, values }) => ({
          series: name.replace('host="h"', 'host="other"'),
          values,
        }),
      ),
    ],
    [],
    75,
  ],
];

/** Of which command an alert is, where it is not the export's. */
const COMMANDS: Readonly<Record<string, string>> = {
  JobvaultVerifyNotRunning: 'verify',
  JobvaultArchiveDamaged: 'verify',
  JobvaultDrillNotRunning: 'drill',
  JobvaultDrillFailed: 'drill',
};

/** Of what an alert is a count, as its labels say. */
const COUNTED: Readonly<Record<string, object>> = {
  JobvaultDeletionsRefused: { outcome: 'refused' },
  JobvaultUsersNeverSeen: { state: 'newly_never_seen' },
  JobvaultUsersVanished: { state: 'newly_vanished' },
  JobvaultUsersAtTheCap: { state: 'at_the_cap' },
  JobvaultQueueLost: { state: 'lost' },
};

it.each(['JobvaultGaps', 'JobvaultUsersAtTheCap'])('%s says what alone ends it', (name) => {
  expect(descriptionOf(name)).toContain('This alert ends with the next whole export of everybody');
});

describe.skipIf(promtool === undefined)('the alerts', () => {
  const run = (...words: string[]) =>
    execFileSync(promtool ?? '', words, { encoding: 'utf8', stdio: 'pipe' });

  it('are rules for promtool', () => {
    expect(run('check', 'rules', pathOf('alerts.yml'))).toContain('SUCCESS: 20 rules found');
  });

  it('name the configuration in the commands that they propose, where the archive has one', () => {
    const description = descriptionOf('JobvaultGaps');
    const rules = { name: 'one', rules: [{ alert: 'A', expr: 'a', annotations: { description } }] };
    const directory = mkdtempSync(join(tmpdir(), 'jobvault-alerts-'));
    const file = join(directory, 'scene.json');
    const store = { archive: 's3://b/a', config: '/e.yaml' };
    const said = (place: string) =>
      `jobvault gap list ${place} names them by reason, each with what can be done. This alert ends with the next whole export of everybody after a run has fetched them, or somebody has accepted them: jobvault gap accept. A run of gaps alone (--retry-gaps) and an acceptance do not end it before.`;
    const alerts = [
      { exp_labels: store, exp_annotations: { description: said('s3://b/a --config /e.yaml') } },
      { exp_labels: { archive: '/a' }, exp_annotations: { description: said('/a') } },
    ];
    const test = {
      interval: '1h',
      input_series: ['a{archive="s3://b/a",config="/e.yaml"}', 'a{archive="/a"}'].map((one) => ({
        series: one,
        values: '1x9',
      })),
      alert_rule_test: [{ eval_time: '2h', alertname: 'A', exp_alerts: alerts }],
    };
    try {
      writeFileSync(join(directory, 'rules.json'), JSON.stringify({ groups: [rules] }));
      const whole = { rule_files: [join(directory, 'rules.json')], tests: [test] };
      writeFileSync(file, JSON.stringify(whole));
      expect(run('test', 'rules', file)).toContain('SUCCESS');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('say how those of a deletion end that was refused, of an export and of a prune by hand', () => {
    expect(descriptionOf('JobvaultDeletionsRefused')).toBe(
      'The last warning in the log of the run on {{ $labels.host }} names the first, with its reason. The {{ $labels.command }} line of the night there, with its own rules and with --dry-run, shows each that would be refused now, but reads no file back: what is damaged, jobvault verify {{ $labels.archive }}{{ with $labels.config }} --config {{ . }}{{ end }} names, and --repair mends. This alert ends with the next {{ $labels.command }} of everybody that refuses nothing, also one with nothing to delete; a dry run does not.',
    );
    expect(descriptionOf('JobvaultRunFailed')).toBe(
      'See the log of the run on {{ $labels.host }}: its end has the error{{ if eq $value 7.0 }}, or names a deletion that was refused{{ end }}. After mending what it names, run the same command again: it goes on where this one ended{{ if eq $value 7.0 }} (not a saved plan of deletions: give its rules; a dry run ends no alert){{ end }}.',
    );
  });

  it('say what ends that of the list of users, which is not only a list that is right', () => {
    expect(descriptionOf('JobvaultUsersListDoubtful')).toContain(
      'This alert also ends when the next night fails for another reason',
    );
  });

  it('are right about every scene', () => {
    const { groups } = parse(textOf('alerts.yml')) as {
      groups: { rules: { alert: string; labels: object; annotations: Record<string, string> }[] }[];
    };
    // only what a scene can foretell: a description says what to do, in words that do not depend on the series
    const plain = groups.map((group) => ({
      ...group,
      name: 'all',
      rules: group.rules.map((rule) => ({
        ...rule,
        annotations: { summary: rule.annotations['summary'] },
      })),
    }));
    const tests = SCENES.map(([scene, told, summaries, hours = 30]) => {
      const isRun = told.length > 0 && !told.some(({ series: name }) => name.includes('last_run'));
      const isOfWorkers = told.some(({ series: name }) => name.includes('"worker"'));
      const expected = (groups[0]?.rules ?? []).map(({ alert, labels, annotations }) => {
        const pattern = new RegExp(
          `^${(annotations['summary'] ?? '')
            .replace(/\{\{ with \$labels.shard \}\}.*?\{\{ end \}\}/, '(?:, shard .+,)?')
            .replaceAll(/\{\{[^}]*\}\}/g, '.+')}$`,
        );
        const labelled =
          alert === 'JobvaultNoMetrics'
            ? {}
            : {
                command: COMMANDS[alert] ?? (isOfWorkers ? 'worker' : 'export'),
                archive: '/a',
                host: 'h',
              };
        const exp_alerts = summaries
          .filter((summary) => pattern.test(summary))
          .map((summary) => {
            const [, shard] = /, shard ([^,]+),/.exec(summary) ?? [];
            const counted = { ...COUNTED[alert], ...(shard !== undefined && { shard }) };
            return {
              exp_labels: { ...labels, ...labelled, scope: 'all', ...counted },
              exp_annotations: { summary },
            };
          });
        return { eval_time: `${hours}h`, alertname: alert, exp_alerts };
      });
      expect([scene, expected.flatMap(({ exp_alerts }) => exp_alerts).length]).toEqual([
        scene,
        summaries.length,
      ]);
      const input_series = isRun ? [...told, EACH_NIGHT] : told;
      return { name: scene, interval: '1h', input_series, alert_rule_test: expected };
    });
    const directory = mkdtempSync(join(tmpdir(), 'jobvault-alerts-'));
    try {
      const file = join(directory, 'scenes.json');
      const rules = join(directory, 'alerts.json');
      writeFileSync(rules, JSON.stringify({ groups: plain }));
      writeFileSync(
        file,
        JSON.stringify({ rule_files: [rules], evaluation_interval: '1h', tests }),
      );
      // its error names the scene
      expect(run('test', 'rules', file)).toContain('SUCCESS');
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
