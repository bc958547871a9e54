/** The envelope of every answer; the dataset overview's code is nested. */

/** @param data JSON text */
export function successText(data: string, nested: boolean): string {
  return `{"code":${nested ? '{"code":0}' : '0'},"data":${data}}`;
}

export function failureText(code: number, message: string, nested: boolean): string {
  return JSON.stringify({ code: nested ? { code } : code, message, data: null });
}
