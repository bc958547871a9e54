/** A history in which every field holds presigned URLs, in every spelling that a field may have them in. */

/** Every signature begins with it. */
export const CANARY = 'CANARYa1B2c3D4e5F6';

let count = 0;

function signature(): string {
  return `${CANARY}${(++count).toString(16).padStart(6, '0')}`;
}

function signed(host: string): string {
  return `${host}/k/a.csv?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=A%2F1&X-Amz-Date=20261101T000000Z&X-Amz-Expires=600&X-Amz-SignedHeaders=host&X-Amz-Signature=${signature()}`;
}

/** One text with each spelling of such a URL. */
function spelt(host: string): string {
  const inJson = (text: string): string => text.replaceAll('&', '\\u0026');
  return [
    `see ${signed(host)}, ![chart](${signed(host)})`,
    `<img src="${signed(host).replaceAll('&', '&amp;')}">`,
    `{"url":"${inJson(signed(host))}"}`,
    `https://proxy.example/?to=${encodeURIComponent(signed(host))}`,
    `${host}/my%20file.csv?sig=${signature()}&se=2030`,
    `<${host}/my file.csv?sig=${signature()}&se=2030>`,
    `${host}/b?Expires=1&Signature=${signature()}&Key-Pair-Id=K`,
    `${host}/c?X-Goog-Signature=${signature()}`,
    ...withCredentials(host),
  ].join(' ');
}

/** URLs of files, and of pages, that open what they name to everybody who has them. */
function withCredentials(host: string): string[] {
  const image = (rest: string): string => `![${rest.slice(0, 3)}](${host}/${rest})`;
  const owned = host.replace('://', `://ada:${signature()}@`);
  return [
    ...['token', 'access_token', 'api_key', 'X-Api-Key', 'password', 'auth', 'read', 'v'].map(
      (name) => image(`i/${name}.png?${name}=${signature()}&w=1`),
    ),
    ...['token', 'access_token', 'api_key', 'apikey', 'jwt', 'client_secret'].map(
      (name) =>
        `${host}/page?a=1&${name}=${signature()}, or "${host}/page?a&amp;${name}=${signature()}"`,
    ),
    image(`i/bare.png?${signature()}`),
    image(`i/hash.png#access_token=${signature()}&state=1`),
    image(`i/hash2.png?a=1#${signature()}`),
    image(`i;Signature=${signature()};Expires=1/path.png`),
    `${host}/cb#access_token=${signature()}`,
    `${host}/cb;token=${signature()}?x=1`,
    `${owned}/page and ![own](${owned}/i/own.png)`,
    `{"url":"${owned.replaceAll('/', '\\/')}\\/x\\u003ftoken\\u003d${signature()}"}`,
    `https://proxy.example/?to=${encodeURIComponent(`${host}/p?token=${signature()}&b=1`)}`,
  ];
}

/** @param host where the URLs lead: to nothing, soon */
export function signedEverywhere(host: string): string {
  const text = (): string => spelt(host);
  const short = (): string => `${host}/d?sig=${signature()}`;
  const block = (type: string, content: unknown, more: object = {}) => ({
    type,
    content,
    group_id: short(),
    group_name: text(),
    stage: 'Respond',
    ...more,
  });
  const job = {
    job_id: 'job-1',
    more: text(),
    question: {
      blocks: [
        { type: 'MESSAGE', content: text() },
        { type: 'CODE', content: text() },
      ],
    },
    answer: {
      blocks: [
        block('MESSAGE', text()),
        block('MESSAGE', text(), { stage: 'Analyze' }),
        block('CODE', `curl '${signed(host)}'\ncurl ${text()}`),
        block('CODE', `\`\`\`python\nget("${signed(host)}")\n\`\`\``),
        block('TABLE', { name: text(), url: '{{url:cells.csv}}', expires_at: '{{expires_at}}' }),
        block('SOURCES', [
          {
            source: text(),
            datasource_id: short(),
            dataset_id: short(),
            file_type: text(),
            external_id: text(),
            id: text(),
            content: text(),
            page: text(),
            [short()]: 1,
          },
          text(),
        ]),
        block('QUESTIONS', [text(), { why: text() }]),
        block('HOLOGRAM', { about: text(), list: [text()] }),
        block('IMAGE', { name: 'i', url: `${host}/i/member.png?read=${signature()}` }),
        block('TABLE', `${host}/i/alone.csv?token=${signature()}`),
        block('CHART_INFO', { url: `${host}/i;Signature=${signature()}/chart.png`, title: text() }),
        block(`TYPE ${short()}`, { about: text() }),
      ],
    },
  };
  const session = {
    id: 'session-1',
    name: short(),
    output_language: short(),
    job_mode: short(),
    agent_id: short(),
    note: text(),
    tags: [text(), { deep: text() }],
    jobs: [job],
  };
  return JSON.stringify({
    users: [{ user_id: 'ada', sessions: [session] }],
    files: { 'cells.csv': { text: 'a,b\n1,2\n' } },
    datasets: [
      {
        id: 'dataset-1',
        creator: 'ada',
        name: short(),
        description: text(),
        summary: text(),
        keywords: [text()],
        exploration_questions: [text()],
      },
    ],
  });
}
