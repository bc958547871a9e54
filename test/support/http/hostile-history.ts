/** A history that attacks the page that shows it: with scripts, handlers, addresses, pictures, names and keys. */
import { png } from '../tables/tiny-image.js';

const SCRIPT = '<script>alert(1)</script>';
const HANDLER = '<img src=x onerror="alert(2)"><svg onload="alert(3)"></svg>';
const BREAKOUT = '</script><script>alert(4)</script><!--\u2028\u2029';
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="alert(5)"><script>alert(6)</script><image href="http://example.invalid/leak.png"/></svg>`;

export const HOSTILE_USER = `"><img src=x onerror=alert(7)>${SCRIPT}/../%2F'`;
export const HOSTILE_SESSION = `../..\\s"'<b>&${SCRIPT}`;

const MARKDOWN = [
  `${SCRIPT} ${HANDLER} ${BREAKOUT}`,
  '[one](javascript:alert(8)) [two](JaVaScRiPt:alert(9)) [three](data:text/html,<script>alert(10)</script>)',
  '[four](vbscript:msgbox(1)) [five](file:///etc/passwd) [six](  javascript:alert(11)) <javascript:alert(12)>',
  '![picture](http://example.invalid/pixel.png) ![seven](javascript:alert(13)) ![eight](data:image/svg+xml,<svg onload=alert(14)>)',
  '[nine](https://example.com/" onclick="alert(15)) [ten](https://example.com "title\\" onmouseover=alert(16)")',
  '<style>@import "http://example.invalid/style.css"; *{background:url(http://example.invalid/b.png)}</style>',
  '<iframe src="http://example.invalid/frame"></iframe><object data="http://example.invalid/o"></object><base href="http://example.invalid/">',
  '<form action="http://example.invalid/f"><input autofocus onfocus=alert(17)></form><meta http-equiv="refresh" content="0;url=http://example.invalid/">',
  '```html"><script>alert(18)</script>\n<script>alert(19)</script>\n```',
  '| <script>alert(20)</script> | b |\n|:-:|--:|\n| <img src=x onerror=alert(21)> | [x](javascript:alert(22)) |',
].join('\n\n');

/** Blocks that a page must show as they are, or not at all. */
export function hostileHistory(): string {
  const block = (type: string, content: unknown, more: object = {}) => ({
    type,
    content,
    group_id: '',
    group_name: '',
    stage: 'Respond',
    ...more,
  });
  const file = (name: string, key: string) => ({
    name,
    url: `{{url:${key}}}`,
    expires_at: '{{expires_at}}',
  });
  const step = { stage: 'Analyze', group_id: 'g', group_name: `${SCRIPT}${HANDLER}` };
  const job = (id: string, blocks: readonly object[]) => ({
    job_id: id,
    question: { blocks: [{ type: 'MESSAGE', content: `${SCRIPT}${HANDLER}${BREAKOUT} why?` }] },
    answer: { blocks },
  });
  return JSON.stringify({
    users: [
      {
        user_id: HOSTILE_USER,
        sessions: [
          {
            id: HOSTILE_SESSION,
            name: `${SCRIPT}${HANDLER}${BREAKOUT}`,
            output_language: '"><script>alert(23)</script>',
            job_mode: HANDLER,
            jobs: [
              job('__proto__', [
                block('MESSAGE', MARKDOWN),
                block('CODE', `print("${SCRIPT}")\n${HANDLER}`, step),
                block('MESSAGE', MARKDOWN, step),
                block('TABLE', file(`${SCRIPT}.csv`, 'cells.csv')),
                block('IMAGE', file(`"onerror="alert(24)`, 'drawn.svg')),
                block('IMAGE', file(`x" onload="alert(25)`, 'drawn.png')),
                block('SOURCES', [
                  { source: SCRIPT, dataset_id: HANDLER, file_type: '"><i>', page_no: BREAKOUT },
                ]),
                block('QUESTIONS', [SCRIPT, HANDLER, { a: BREAKOUT }]),
                block('HOLOGRAM', { __proto__: 1, html: `${SCRIPT}${HANDLER}${BREAKOUT}` }),
                block(`${SCRIPT}TYPE`, { constructor: BREAKOUT }),
              ]),
              job('constructor', [
                block('MESSAGE', 'constructor __proto__ toString hasOwnProperty'),
              ]),
            ],
          },
        ],
      },
    ],
    files: {
      'cells.csv': {
        text: `a,"${SCRIPT}",__proto__\n1,"<img src=x onerror=alert(26)>",2\n3,=1+1,${'x'.repeat(500)}\n`,
      },
      'drawn.svg': { base64: Buffer.from(SVG).toString('base64'), media_type: 'image/svg+xml' },
      'drawn.png': { base64: png({ width: 8, height: 8 }).toString('base64') },
    },
  });
}
