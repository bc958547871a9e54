/** Reads in an answer's headers whether it says where its body ends. A body without such an end goes on until the connection closes, and a connection that broke looks the same: undici reports no error for it. */
import type { Dispatcher } from 'undici';
import { redactText } from '../base/text/redact.js';

export type Headers = Dispatcher.ResponseData['headers'];

export interface AnnouncedEnd {
  /** Bytes on the wire, if the answer says how many. */
  readonly length: number | null;
  /** Whether the last chunk says that it is the last: undici fails a body without it. */
  readonly isChunked: boolean;
}

/**
 * The end that the headers announce; or, in words, why the body cannot be a whole file. Nobody asks for a
 * range, so an answer with one comes from a cache that is wrong.
 *
 * Requests are made in HTTP/1.1 only (`guard.ts`). END_STREAM of HTTP/2 would prove an end, too.
 */
export function announcedEnd(headers: Headers): AnnouncedEnd | string {
  const range = fileHeader(headers, 'content-range');
  const whole = range === '' ? null : wholeRange(range);
  if (whole === undefined) return `a part of the file (Content-Range ${quote(range)})`;
  const stated = lengthIn(fileHeader(headers, 'content-length'));
  if (whole !== null && stated !== null && whole !== stated) {
    return `a Content-Length of ${stated} with a Content-Range of ${whole} bytes`;
  }
  const codings = fileHeader(headers, 'transfer-encoding').split(',');
  const isChunked = codings.at(-1)?.trim().toLowerCase() === 'chunked';
  return { length: stated ?? whole, isChunked };
}

/** The values of a repeated header are joined with commas; empty without such a header. */
export function fileHeader(headers: Headers, name: string): string {
  return [headers[name] ?? []].flat().join(',');
}

function lengthIn(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The length of the file if the range is all of it; undefined if not, or if that is not certain. */
function wholeRange(text: string): number | undefined {
  const [, first, last, total] =
    /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/i.exec(text.trim()) ?? [];
  const isWhole = Number(first) === 0 && Number(last) === Number(total) - 1;
  return isWhole ? Number(total) : undefined;
}

/** The beginning of a header, for people. */
export function quote(text: string): string {
  return JSON.stringify(redactText(text).slice(0, 40));
}
