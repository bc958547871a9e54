/**
 * One whole output of each command that answers, as text and as JSON, of one small archive. What a command prints is
 * reviewed as the text that it is: after a change of words, `vitest --update` writes the files in `golden`, and the
 * difference is read.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CliRig } from '../../support/rigs/cli-rig.js';

const FIRST_ASKED = Date.UTC(2024, 0, 10, 12);
const HOUR = 3_600_000;

const block = (type: string, content: unknown) => ({
  type,
  content,
  stage: 'Respond',
  group_id: '',
  group_name: '',
});

const REASON = '--reason "Art. 15" --by "Grace Hopper"';
/** Of a command that changes nothing: as text, and as JSON. */
const both = (line: string): string[] => [line, `${line} --json`];
/** `SERVICE` stands for the flags that name the service. In this order: each finds what those before it have left. */
const TRANSCRIPTS: Readonly<Record<string, readonly string[]>> = {
  export: [
    'export SERVICE --out ./archive --user ada --dry-run',
    'export SERVICE --out ./archive --user ada --user ben --concurrency 1',
    'export SERVICE --out ./archive --user ada --user ben --concurrency 1 --json',
  ],
  doctor: both('doctor SERVICE --user ada --out ./archive'),
  verify: both('verify ./archive'),
  drill: both('drill ./archive'),
  status: [...both('status ./archive'), ...both('status ./archive --user ada')],
  files: both('files ./archive jobs'),
  changes: both('changes ./archive --since 0'),
  show: [...both('show ./archive'), ...both('show ./archive s-sales')],
  tables: ['tables ./archive', ...both('tables ./archive sources')],
  query: both(
    'query ./archive "SELECT user_id, count(*) AS jobs FROM current_jobs GROUP BY 1 ORDER BY 1"',
  ),
  search: [...both('search ./archive falcon'), 'search ./archive condor'],
  'gap list': both('gap list ./archive'),
  'gap accept': [
    `gap accept ./archive --user ada --status missing ${REASON} --dry-run`,
    `gap accept ./archive --user ada --status missing ${REASON} --dry-run --json`,
    `gap accept ./archive --user ada --status missing ${REASON}`,
    `gap accept ./archive --session s-sales ${REASON}`,
    ...both('gap list ./archive'),
  ],
  'gap withdraw': [
    `gap withdraw ./archive --session s-sales ${REASON} --dry-run`,
    `gap withdraw ./archive --session s-sales ${REASON} --json`,
  ],
  'request new': [
    `request new ./archive "Matter 7" --user ada --match falcon --from 2024 ${REASON}`,
    `request new ./archive "Matter 8" --user ben ${REASON} --json`,
  ],
  'request decide': [
    `request decide ./archive "Matter 7" withhold --session s-notes ${REASON}`,
    `request decide ./archive "Matter 7" include --session s-notes ${REASON} --json`,
  ],
  'hold add': [
    `hold add ./archive --session s-notes ${REASON}`,
    `hold add ./archive --session s-notes ${REASON}`,
    'hold add ./archive --request "Matter 8" --by "Grace Hopper" --json',
  ],
  'hold list': both('hold list ./archive'),
  report: [
    'report ./archive --out ./page.html',
    'report ./archive --out ./matter.html --request "Matter 7" --json',
  ],
  workbook: [
    'workbook ./archive --out ./book.xlsx --user ada',
    'workbook ./archive --out ./matter.xlsx --request "Matter 7" --by "Grace Hopper" --json',
  ],
  evidence: [
    'evidence ./archive --out ./pack --user ada',
    'evidence ./archive --out ./matter --request "Matter 7" --by "Grace Hopper" --json',
  ],
  'request show': [
    ...both('request show ./archive "Matter 7"'),
    'request show ./archive "Matter 9"',
  ],
  'request list': both('request list ./archive'),
  'request close': [
    `request close ./archive "Matter 7" ${REASON}`,
    `request close ./archive "Matter 8" ${REASON} --json`,
  ],
  prune: [
    'prune ./archive SERVICE --user ada --all --dry-run',
    'prune ./archive SERVICE --user ada --all --dry-run --json',
    'prune ./archive SERVICE --user ben --all --yes',
  ],
  'hold release': [
    `hold release ./archive --session s-notes ${REASON} --dry-run`,
    `hold release ./archive --session s-notes ${REASON} --yes`,
    `hold release ./archive --user ben ${REASON} --yes --json`,
  ],
  compact: ['compact ./archive --dry-run', 'compact ./archive --json'],
  copy: [
    'copy ./archive ./second --dry-run',
    'copy ./archive ./second',
    'copy ./archive ./second --json',
    'verify ./nowhere',
    'verify ./nowhere --json',
  ],
  erase: [
    `erase ./archive --user ben ${REASON} --dry-run`,
    `erase ./archive --user ben ${REASON} --dry-run --json`,
    `erase ./archive --user ben ${REASON}`,
    `erase ./archive --user ben ${REASON} --yes`,
    ...both(`erase ./archive --user ben --suppress-only ${REASON} --dry-run`),
    `erase ./archive --user ben --suppress-only ${REASON} --yes`,
    ...both('erase ./archive --list'),
  ],
  expire: [
    ...both('expire ./archive --older-than 30d --dry-run --reason old --by Ken'),
    'expire ./archive --older-than 30d --reason old --by Ken --yes --json',
  ],
  'status after all': both('status ./archive'),
  'sessions list': both('sessions list SERVICE --user ada'),
  'sessions get': [
    ...both('sessions get s-sales SERVICE --user ada'),
    'sessions get s-no SERVICE --user ada',
  ],
  'sessions create': [
    'sessions create SERVICE --user ada --name "Week 3"',
    'sessions create SERVICE --user ada --name "Week 4" --json',
  ],
  'sessions modify': both('sessions modify s-notes SERVICE --user ada --name "New notes"'),
  'sessions history': both('sessions history s-sales SERVICE --user ada'),
  'sessions delete': [
    'sessions delete s-notes SERVICE --user ada',
    ...both('sessions delete s-notes SERVICE --user ada --without-archive --dry-run'),
    'sessions delete s-notes SERVICE --user ada --without-archive --yes',
    'sessions delete s-sales SERVICE --user ada --without-archive --yes --json',
  ],
  'datasets list': both('datasets list SERVICE --user ada'),
  'datasets overview': both('datasets overview d-orders SERVICE --user ada'),
  'datasets create': [
    'datasets create SERVICE --user ada --name Costs --description "Costs since 2019"',
    'datasets create SERVICE --user ada --name Plans --description "Plans" --json',
  ],
  'datasets modify': both('datasets modify d-orders SERVICE --user ada --name "All orders"'),
  'datasets status': both('datasets status d-orders SERVICE --user ada'),
  'datasets delete': [
    ...both('datasets delete d-orders SERVICE --user ada --dry-run'),
    'datasets delete d-orders SERVICE --user ada --yes',
  ],
  init: ['init --config ./new.yaml'],
  'config show': both('config show --user ada'),
};

/** What differs from run to run, and what stands for it. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\bjobvault \d+\.\d+\.\d+ on Node\.js [\d.]+/g, 'jobvault VERSION on Node.js VERSION'],
  [/\b[0-9A-HJKMNP-TV-Z]{26}\b/g, 'ULID'],
  // the end of a hold's id
  [/^[0-9A-HJKMNP-TV-Z]{8}(?= {2})/gm, 'HOLD-ID_'],
  [/\b[0-9a-f]{64}\b/g, 'SHA256'],
  [/\b[0-9a-f]{12,63}\b/g, 'HEX'],
  [/\b(?!2024)20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?/g, 'TIME'],
  [/"(\w*(?:bytes|_ms|seconds))": ?\d+(?:\.\d+)?/g, '"$1": NUMBER'],
  [/\b\d[\d.,]* (?:bytes|B|KB|MB|GB)\b/g, 'SIZE'],
  [/\b\d[\d.]* (?:ms|s|min)(?: \d+ s)?\b/g, 'DURATION'],
];

let rig: CliRig;
beforeAll(async () => {
  rig = await CliRig.start({ users: 0 });
  const { state } = rig;
  let asked = 0;
  const job = (question: string, answer: string, file?: string) => ({
    job_id: state.newJobId(FIRST_ASKED + asked++ * HOUR),
    question: { blocks: [block('MESSAGE', question)] },
    answer: {
      blocks: [
        block('MESSAGE', answer),
        ...(file === undefined
          ? []
          : [
              block('TABLE', {
                name: file,
                url: `{{url:${file}}}`,
                expires_at: '{{expires_at}}',
              }),
            ]),
      ],
    },
  });
  const session = (id: string, name: string, jobs: readonly unknown[]) => ({ id, name, jobs });
  state.importJson(
    JSON.stringify({
      users: [
        {
          user_id: 'ada',
          sessions: [
            session('s-sales', 'Sales', [
              job('How did sales go?', 'Sales went **up**.', 'sales.csv'),
              job('And the costs?', 'They are lost.', 'lost.csv'),
            ]),
            session('s-notes', 'Notes', [job('What is a falcon?', 'A bird of prey.')]),
          ],
        },
        { user_id: 'ben', sessions: [session('s-ben', 'Plans', [job('A plan?', 'None yet.')])] },
      ],
      files: { 'sales.csv': { text: 'month,total\n2026-01,17\n' } },
      datasets: [
        {
          id: 'd-orders',
          name: 'Orders',
          creator: 'ada',
          description: 'Orders since 2019',
          summary: 'What was ordered.',
          keywords: ['orders'],
          exploration_questions: ['How many orders?'],
          synched_count: 2,
        },
      ],
    }),
  );
});
afterAll(() => rig[Symbol.asyncDispose]());

const transcripts = new Map<string, string>();
beforeAll(async () => {
  for (const [name, lines] of Object.entries(TRANSCRIPTS)) {
    const told: string[] = [];
    for (const line of lines) told.push(await transcriptOf(line));
    transcripts.set(name, told.join('\n'));
  }
});

async function transcriptOf(line: string): Promise<string> {
  const words = Array.from(line.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word);
  const service = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
  const given = words.flatMap((word) => (word === 'SERVICE' ? service : [word]));
  const { exitCode, stdout, stderr } = await rig.run(given);
  const parts = [
    `$ jobvault ${line}\n`,
    stdout === '' ? '' : asText(stdout),
    stderr === '' ? '' : `--- on stderr\n${asText(stderr)}`,
    `--- exit code ${exitCode}\n`,
  ];
  return parts.join('');
}

function asText(output: string): string {
  const places = [
    [rig.emulator.baseUrl, 'http://service'],
    [rig.emulator.filesUrl, 'http://files'],
    [new URL(rig.emulator.filesUrl).host, 'files'],
    [rig.directory, '/home'],
  ] as const;
  const named = places.reduce(
    (text, [place, name]) => text.replaceAll(place, name),
    pretty(output),
  );
  return CHANGING.reduce((text, [pattern, name]) => text.replace(pattern, name), named);
}

/** A line of JSON as people read it. */
function pretty(output: string): string {
  try {
    return `${JSON.stringify(JSON.parse(output), null, 2)}\n`;
  } catch {
    return output;
  }
}

it.each(Object.keys(TRANSCRIPTS))('%s prints what was reviewed', async (name) => {
  const file = `./golden/${name.replaceAll(' ', '-')}.txt`;
  await expect(transcripts.get(name)).toMatchFileSnapshot(file);
});
