/** Records of jobs with hostile values for the reader, the hash, tables and files; the seed decides them. */
import { presigned, PRESIGNED } from './presigned.js';

/** Texts that have broken some reader, hash or writer before; as JSON has them. */
const LITERALS: readonly string[] = [
  '""',
  '"plain words, and a few more of them, so that it is no id"',
  '"\\u0000first"',
  '"\\u00001.0"',
  '"half \\ud83d of a pair"',
  '"\\udc00\\ud800"',
  '"pair \\ud83d\\ude00 and 😀"',
  '"quote \\" backslash \\\\ end\\\\"',
  '"tab\\tline\\nreturn\\r\\u2028\\u2029"',
  '"\\/\\b\\f é 数据 שלום"',
  '"```python\\nprint(1)\\n```\\n\\n~~~sql\\nselect 1\\n~~~"',
  '"![a chart](https://files.example/a.png) ![b][r]\\n\\n[r]: https://files.example/b.png"',
  '"`![no](https://files.example/no.png)` <img src=\'https://files.example/c.png\'>"',
  '"  [x]: 1.0, 2 : -0 {\\"n\\":1e5}"',
];
const NUMBERS: readonly string[] = [
  ...['0', '-0', '1', '-1', '1.0', '1e400', '-1E+2', '0.1', '9007199254740993', '1.50'],
  ...['123456789012345678901234567890', '2147483648', '3.141592653589793', '5e-324', '1E5'],
];
const KEYS: readonly string[] = [
  ...['"name"', '"url"', '"expires_at"', '"image_url"', '"images"', '"href"', '"src"', '"a"'],
  ...['"__proto__"', '"constructor"', '"\\\\"', '"\\n"', '"\\u0061"', '"content"', '""', '"10"'],
  ...['"9"', '"file_type"', '"source"', '"session"', '"😀"', '"\\ud800"', '"Ä"', '"toString"'],
];
const TYPES: readonly string[] = [
  ...['"MESSAGE"', '"CODE"', '"TABLE"', '"IMAGE"', '"SOURCE"', '"SOURCES"', '"QUESTIONS"'],
  ...['"message"', '"Task"', '"CHART_INFO"', 'null', '7', '"\\u004dESSAGE"', '"<b>"'],
];
const STAGES = ['"Analyze"', '"Respond"', '"respond"', '"ANALYZE"', '""', 'null', '3', '"\\ud800"'];
const GROUPS = ['""', '"-1"', '-1', '"g1"', '"g2"', '12345678901234567890', '1.0', 'null', '[1]'];
const SCHEMES = Object.keys(PRESIGNED);
const DAYS = ['"2026-11-21T10:00:00Z"', '"2026-02-30T00:00:00Z"', '"soon"', '17'];

export class HostileRecords {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A page's `records`, with odd white space between. */
  page(count: number): string {
    const records = Array.from({ length: count }, (_, n) => this.job(`job-${n}`));
    return `[${this.#space()}${records.join(`${this.#space()},`)}${this.#space()}]`;
  }

  job(id: string): string {
    const parts = [`"job_id":${this.#space()}${JSON.stringify(id)}`];
    const sides = [`"question":${this.#side(3)}`, `"answer":${this.#side(12)}`];
    parts.push(...(this.#below(2) === 0 ? sides : sides.toReversed()));
    for (let more = this.#below(3); more > 0; more--) {
      parts.push(`${this.#one(KEYS)}:${this.#value(2)}`);
    }
    if (this.#below(9) === 0) parts.push(`"answer":${this.#side(2)}`);
    return `{${parts.join(`${this.#space()},${this.#space()}`)}}`;
  }

  #side(most: number): string {
    if (this.#below(20) === 0) return this.#value(1);
    const blocks = Array.from({ length: this.#below(most + 1) }, () => this.#block());
    const more = this.#below(6) === 0 ? `,${this.#one(KEYS)}:${this.#value(1)}` : '';
    return `{"blocks"${this.#space()}:[${blocks.join(`,${this.#space()}`)}]${more}}`;
  }

  #block(): string {
    if (this.#below(15) === 0) return this.#value(1);
    const type = this.#one(TYPES);
    const members = [
      `"type":${type}`,
      `"content":${this.#content(type)}`,
      `"stage":${this.#one(STAGES)}`,
      `"group_id":${this.#one(GROUPS)}`,
      `"group_name":${this.#text()}`,
    ].filter(() => this.#below(10) !== 0);
    if (this.#below(5) === 0) members.push(`${this.#one(KEYS)}:${this.#value(2)}`);
    if (this.#below(30) === 0) members.push(`"content":${this.#value(1)}`);
    return `{${members.join(`,${this.#space()}`)}}`;
  }

  #content(type: string): string {
    const kind = type.toUpperCase();
    if (kind.includes('MESSAGE') || kind.includes('CODE')) {
      return this.#below(8) === 0 ? this.#value(1) : this.#text();
    }
    if (kind === '"TABLE"' || kind === '"IMAGE"') {
      if (this.#below(4) === 0) return this.#url();
      if (this.#below(6) === 0) return `[${this.#file()},${this.#url()},${this.#value(1)}]`;
      return this.#below(9) === 0 ? this.#value(2) : this.#file();
    }
    const list = Array.from({ length: this.#below(4) }, () =>
      this.#below(3) === 0 ? this.#value(1) : this.#source(),
    );
    return `[${list.join(',')}]`;
  }

  #file(): string {
    const url = this.#url();
    return `{"name":${this.#text()},"url":${url},"expires_at":${this.#one(DAYS)}}`;
  }

  #source(): string {
    return `{"source":${this.#text()},"dataset_id":${this.#value(0)},"file_type":"csv","url":${this.#url()},"page":${this.#one(NUMBERS)}}`;
  }

  #url(): string {
    const address = `https://files.example/${this.#below(5)}/${this.#below(9)}.csv`;
    if (this.#below(6) === 0) return JSON.stringify(`bare/key ${this.#below(9)}?x#y`);
    if (this.#below(4) === 0) return JSON.stringify(`${address}?v=${this.#below(3)}&w=1#f`);
    return JSON.stringify(presigned(address, this.#below(4), this.#one(SCHEMES)));
  }

  #text(): string {
    if (this.#below(6) > 0) return this.#one(LITERALS);
    const url = this.#url().slice(1, -1);
    return `"see ${url}, ![pic](${url}) and <img src='${url.replaceAll('&', '&amp;')}'> \\u003cb\\u003e"`;
  }

  #value(depth: number): string {
    const kind = this.#below(depth > 0 ? 7 : 5);
    if (kind === 0) return this.#one(NUMBERS);
    if (kind === 1) return this.#one(['true', 'false', 'null']);
    if (kind <= 3) return this.#text();
    if (kind === 4) return this.#url();
    const inner = Array.from({ length: this.#below(4) }, () => this.#value(depth - 1));
    if (kind === 5) return `[${inner.join(`${this.#space()},`)}]`;
    return `{${inner.map((one) => `${this.#one(KEYS)}:${this.#space()}${one}`).join(',')}}`;
  }

  #space(): string {
    return this.#one(['', '', '', ' ', '\n  ', '\t', '\r\n']);
  }

  #one(all: readonly string[]): string {
    return all[this.#below(all.length)] ?? '';
  }

  #below(bound: number): number {
    this.#state = (this.#state * 48_271) % 2_147_483_647;
    return this.#state % bound;
  }
}
