/** Lines of outputs as the comparison of their numbers reads them. */
import { readFile } from 'node:fs/promises';
import { readXlsx } from 'hucre/xlsx';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { UserStatus } from '../../../src/completeness/user-status.js';
import type { EverydayArchive } from '../rigs/everyday-archive.js';
import type { Thing } from './counted-things.js';

export interface Telling {
  readonly archive: EverydayArchive;
  /** The archive, or a copy of it. */
  readonly out: string;
  /** Of whom alone it is told, as words of a command line; empty: of everybody. */
  readonly whom: readonly string[];
  /** The ids of these, and which person each is. */
  readonly people: ReadonlyMap<string, string>;
  /** For what is made of it. */
  readonly place: (name: string) => string;
  /** A command's `--json`. */
  readonly json: <T>(...words: readonly string[]) => Promise<T>;
  readonly tell: (
    output: string,
    numbers: Readonly<Partial<Record<Thing, number | string>>>,
  ) => void;
  readonly caveats: (output: string, caveats: readonly Caveat[]) => void;
}

export interface PeopleLine {
  readonly sessions: number;
  readonly jobs: number;
  readonly gaps: MissingLine;
  readonly completeness: string;
}
export interface SessionLine {
  readonly number: number;
  readonly marks: readonly string[];
  readonly jobs: number;
  readonly archived: number;
  readonly gaps: MissingLine;
}
interface MissingLine {
  readonly gaps: number;
  readonly doubts: number;
  readonly accepted_gaps: number;
  readonly accepted_doubts: number;
}
export interface JobLine {
  readonly isAnswered: boolean;
  readonly settled: boolean;
  readonly created: unknown;
  readonly answer: readonly BlockLine[];
  readonly steps: readonly { readonly blocks: readonly BlockLine[] }[];
}
export interface BlockLine {
  readonly kind: string;
  readonly type?: string;
  readonly name?: string;
  readonly file?: string | null;
  readonly sources?: readonly { readonly name: string }[];
}

export function numbersOf(status: ArchiveStatus): Partial<Record<Thing, number | string>> {
  const { users, holds } = status;
  return {
    ...numbersOfUser(status),
    people: users.people,
    ids: users.total,
    holds,
    'complete users': users.complete + users.incomplete_by_decision,
    'never seen users': users.never_seen,
    'skipped users': users.skipped,
  };
}

/** What is counted of one user, and of all together. */
export function numbersOfUser(
  status: Omit<
    UserStatus,
    'user' | 'last_listing' | 'at_the_cap' | 'is_read_no_more' | 'may_change'
  > & {
    readonly may_change: { readonly jobs: number };
  },
): Partial<Record<Thing, number | string>> {
  const { sessions, jobs } = status;
  return {
    conversations: sessions.total,
    'conversations without questions': sessions.without_questions,
    questions: jobs.total,
    unsettled: status.may_change.jobs,
    'not settled by the log': jobs.unsettled,
    gaps: Object.values(status.gaps).reduce((all, count) => all + count, 0),
    'gaps by reason': byName(status.gaps),
    'doubtful files': status.suspicious_files,
    doubts: status.doubts,
    'accepted gaps': status.accepted_gaps,
    'accepted doubts': status.accepted_doubts,
    'doubts, accepted or not': status.doubts + status.accepted_doubts,
    absent: sessions.gone + sessions.deleted,
    'deleted by prune': sessions.deleted,
    erased: status.erased,
  };
}

/** `missing 2, refused 1`: those of which there are any, in alphabetical order. */
export function byName(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some
    .map(([name, count]) => `${name} ${count}`)
    .sort()
    .join(', ');
}

/** The same of what has a status. */
export function countsByName(all: readonly { readonly status: string }[]): string {
  const counts: Record<string, number> = {};
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1;
  return byName(counts);
}

export function missing(lines: readonly MissingLine[]): Partial<Record<Thing, number>> {
  return {
    gaps: sum(lines, 'gaps'),
    doubts: sum(lines, 'doubts'),
    'accepted gaps': sum(lines, 'accepted_gaps'),
    'accepted doubts': sum(lines, 'accepted_doubts'),
  };
}

/** As pages and as `summary.csv` have it. */
const WHOLE = ['complete', 'incomplete-by-decision', 'yes', 'by decision', 'never seen'];

export function isWhole(completeness: string): boolean {
  return WHOLE.includes(completeness);
}

export function sum<Key extends string>(
  rows: readonly Readonly<Record<Key, number>>[],
  column: Key,
): number {
  return rows.reduce((all, row) => all + row[column], 0);
}

/** @param rows of a CSV file */
export function total(rows: readonly Readonly<Record<string, string>>[], column: string): number {
  return rows.reduce((all, row) => all + Number(row[column]), 0);
}

/** What the pattern has in parentheses; a line that is not there counts nothing. */
export function numberIn(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1]?.replaceAll(',', '') ?? 0);
}

/** @param text that of a page */
export function tileOf(text: string, name: string): number {
  return numberIn(text, new RegExp(`${name} ([\\d,]+)`));
}

/** @param readme `README.txt` of a pack */
export function lineOf(readme: string, name: string): number {
  return numberIn(readme, new RegExp(`^ {2}${name} +([\\d,]+)`, 'm'));
}

interface Sheet {
  readonly name: string;
  readonly rows: readonly (readonly unknown[])[];
}

/** Of a workbook; the first is its cover. */
export async function sheetsOf(path: string): Promise<readonly Sheet[]> {
  return (await readXlsx(await readFile(path))).sheets;
}

/** The lines of a workbook's cover. */
export async function coverOf(path: string): Promise<ReadonlyMap<string, unknown>> {
  return linesOf((await sheetsOf(path))[0]);
}

export function linesOf(cover: Sheet | undefined): ReadonlyMap<string, unknown> {
  return new Map((cover?.rows ?? []).map((row) => [String(row[0]), row[1]]));
}

/** Of rows of `summary.csv`: a conversation that several spellings of a user listed is in the row of each. */
export function erasedOf(
  summary: readonly Readonly<Record<string, string>>[],
  people: ReadonlyMap<string, string>,
): number {
  const most = new Map<string, number>();
  for (const { user_id: user = '', erased } of summary) {
    const person = people.get(user) ?? user;
    most.set(person, Math.max(most.get(person) ?? 0, Number(erased)));
  }
  return [...most.values()].reduce((all, count) => all + count, 0);
}

/** The sum of the picture of questions over time: of its table, or of the sentence in its place. */
export function pictured(html: string): number {
  const [, picture = ''] = /<h2>Questions over time<\/h2>(.*?)<\/section>/s.exec(html) ?? [];
  const rows = [...picture.matchAll(/<th scope="row">.*?<\/th><td>([\d,]+)<\/td>/g)];
  const alone = / ([\d,]+) questions? on /.exec(textOf(`<body> ${picture}`))?.[1];
  return rows.reduce((all, [, count]) => all + Number(count), Number(alone ?? 0));
}

export function textOf(html: string): string {
  const body = html.slice(html.indexOf('<body')).replaceAll(/<script.*?<\/script>/gs, '');
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

/** How many of the caveats the text has, however its lines are broken. */
export function toldIn(text: string, facts: readonly Caveat[]): number {
  const line = text.replaceAll(/\s+/g, ' ');
  return facts.filter(({ headline }) => line.includes(headline)).length;
}
