/** Data as a classic script: a page opened from disk may not fetch, but it may load scripts from beside it. */

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Nothing in it can end a script, wherever it is put; keys of objects must not come from data. */
export function dataScript(key: string, data: unknown): string {
  return `jobvaultData(${scriptJson(key)},${scriptJson(data)});\n`;
}

function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>\u2028\u2029]/g, (one) => ESCAPES[one] ?? '');
}
