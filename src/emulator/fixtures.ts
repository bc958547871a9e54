/** The contents of made-up answers, read from the files in `fixtures`: ten topics, and what is asked and answered about each in every language. */
import { readFileSync } from 'node:fs';
import { parseJson } from '../base/text/parse-json.js';

/** The languages of seeded sessions, in turn; English twice. */
export const SEED_LANGUAGES = [
  'EN',
  'DE',
  'FR',
  'ES',
  'PT',
  'JA',
  'EN',
  'ZH-CN',
  'AR',
  'RU',
  'HI',
] as const;

export type SeedLanguage = (typeof SEED_LANGUAGES)[number];

export interface Topic {
  /** The id; also the name of its table, without `.csv`. */
  readonly id: string;
  /** The name of its chart, without `.png`. */
  readonly picture: string;
  /** File names of its data sources. */
  readonly sources: readonly string[];
  /** Code that loads the sources. */
  readonly loading: string;
  /** Code that groups the rows. */
  readonly grouping: string;
  readonly dataset: {
    readonly name: string;
    readonly description: string;
    readonly summary: string;
    readonly exploration_questions: readonly string[];
    readonly keywords: readonly string[];
  };
}

/** What is said about a topic in one language. Its numbers are those of the topic's table. */
export interface Answer {
  readonly topic: string;
  /** The name of a session about it. */
  readonly session: string;
  readonly questions: readonly string[];
  readonly plan: string;
  readonly reply: string;
  /** The reply of a job that looks up documents. */
  readonly recalled: string;
  /** The quotation of such a reply. */
  readonly quoted: string;
  /** The name of the chart. */
  readonly image: string;
  readonly follow_ups: readonly string[];
}

/** Beside the modules, and beside the folder of the built program. */
const FOLDER = new URL('../emulator/fixtures/', import.meta.url);
const read = new Map<string, Buffer>();
const parsed = new Map<string, unknown>();

/** @param name below the folder of fixtures */
export function fixture(name: string): Buffer {
  const bytes = read.get(name) ?? readFileSync(new URL(name, FOLDER));
  read.set(name, bytes);
  return bytes;
}

export function topics(): readonly Topic[] {
  return json('topics.json') as readonly Topic[];
}

/** In the order of the topics. */
export function answersIn(language: SeedLanguage): readonly Answer[] {
  return json(`answers/${language}.json`) as readonly Answer[];
}

function json(name: string): unknown {
  const value = parsed.get(name) ?? parseJson(fixture(name).toString());
  parsed.set(name, value);
  return value;
}
