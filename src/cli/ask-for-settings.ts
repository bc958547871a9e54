/** Asks on the terminal for the settings that a new configuration file lacks. Checks every answer like a flag. */
import { silentLogger } from '../base/logger.js';
import { checkBaseUrl } from '../base/http/base-url.js';
import { redactText } from '../base/text/redact.js';
import { UsageError } from '../base/error.js';
import { templateSettings } from '../config/config-template.js';
import { resolveSettings, valueInEffect, type SettingSources } from '../config/resolve-settings.js';
import { choicesText, type Setting } from '../config/setting.js';
import { setupSettings } from '../config/setup-settings.js';
import { checkPlace } from '../storage/open-storage.js';
import { readApiKey } from './input/api-key.js';
import { storageOptionsOf } from '../config/storage-settings.js';
import { Questions } from './input/questions.js';
import { readUsers } from './input/users.js';
import type { Credentials } from './nightly-files.js';
import { folded } from './output/folded-text.js';
import { terminalWidth, type Terminal } from './output/terminal.js';
import { DEFAULT_FORMAT } from '../formats/formats.js';

interface Question {
  readonly setting: Setting;
  /** Instead of the setting's description. */
  readonly about?: string;
  /** Shown in brackets. */
  readonly standard: string;
  /** The value of an empty answer. Default: none. */
  readonly onEnter?: string;
  /** The user may type the API key itself. */
  readonly isMaybeSecret?: boolean;
  /** Asked only of an archive in a bucket. */
  readonly isOfBucket?: boolean;
  /** @throws {UsageError} an export cannot use the answer */
  readonly check?: (answer: string, asked: Asked) => unknown;
}

interface Asked {
  readonly terminal: Terminal;
  readonly sources: SettingSources;
  /** Never printed. */
  readonly secrets: string[];
  /** What only a nightly run needs. */
  readonly nightly?: NightlyQuestions | undefined;
}

interface NightlyQuestions {
  readonly asksScheduler: boolean;
  /** The file that is to hold the key; undefined where it is there, or a variable has the key. */
  readonly keyFile: string | undefined;
  /** Whether nothing has the credentials of a bucket yet. */
  readonly lacksCredentials: boolean;
}

export interface Answers {
  /** With the answers added as flags. */
  readonly sources: SettingSources;
  readonly scheduler?: string | undefined;
  /** As it was typed, unseen. */
  readonly apiKey?: string | undefined;
  /** The key of the bucket, where the machine has no role. */
  readonly credentials?: Credentials | undefined;
}

const { baseUrl, usersFile, user, out, formats, apiKeyFile, s3Endpoint, s3Region } =
  templateSettings;
const LATER = 'fill in later';
const HERE = './archive';

const QUESTIONS: readonly Question[] = [
  { setting: baseUrl, standard: LATER, check: checkBaseUrl },
  {
    setting: usersFile,
    about: 'A file with the users to export: one a line, or a CSV column user_id',
    standard: 'none',
    check: (usersFile, { terminal }) =>
      usersFile === '-' ? [] : readUsers({ usersFile }, { terminal, logger: silentLogger }),
  },
  {
    setting: user,
    about: 'The users to export, several separated by commas',
    standard: LATER,
  },
  {
    setting: out,
    standard: HERE,
    onEnter: HERE,
    check: (place, { sources }) =>
      checkPlace(place, storageOptionsOf(resolveSettings(templateSettings, sources))),
  },
  { setting: s3Endpoint, standard: 'AWS', isOfBucket: true },
  { setting: s3Region, standard: 'AWS_REGION of the machine', isOfBucket: true },
  { setting: formats, standard: DEFAULT_FORMAT },
  {
    setting: apiKeyFile,
    about: 'A file that holds the API key',
    standard: 'none: JOBVAULT_API_KEY will hold it',
    isMaybeSecret: true,
    check: readApiKey,
  },
];

/**
 * Asks nothing where nothing is missing.
 *
 * @throws {UsageError} the input ended before the last answer
 */
export async function askForSettings(asked: Asked): Promise<Answers> {
  let { sources } = asked;
  const { environment, stderr } = asked.terminal;
  const isOpen = ({ setting, isOfBucket = false }: Question): boolean =>
    !hasValue(setting, sources) &&
    !(setting === apiKeyFile && environment['JOBVAULT_API_KEY']) &&
    (!isOfBucket || isInBucket(sources));
  const { asksScheduler = false, keyFile, lacksCredentials = false } = asked.nightly ?? {};
  if (!QUESTIONS.some(isOpen) && !asksScheduler && keyFile === undefined) return { sources };
  using questions = new Questions(asked.terminal);
  stderr.write('Press Enter for the value in brackets. Ctrl-C ends without writing anything.\n');
  for (const question of QUESTIONS) {
    if (!isOpen(question)) continue;
    const answer = await answerTo(question, questions, { ...asked, sources });
    const { flags, ...others } = sources;
    sources = { ...others, flags: { ...flags, [question.setting.name]: answer } };
  }
  const given = asksScheduler ? await answerTo(SCHEDULER, questions, asked) : undefined;
  const apiKey = keyFile === undefined ? undefined : await keyFor(keyFile, questions, asked);
  const asksCredentials = lacksCredentials && isInBucket(sources);
  const credentials = asksCredentials ? await credentialsFrom(questions, asked) : undefined;
  return { sources, scheduler: given?.toString(), apiKey, credentials };
}

function isInBucket(sources: SettingSources): boolean {
  return resolveSettings({ out }, sources).out?.startsWith('s3://') === true;
}

/** Undefined where nothing was typed: the machine has a role, or somebody fills them in later. */
async function credentialsFrom(
  questions: Questions,
  { terminal, secrets }: Asked,
): Promise<Credentials | undefined> {
  tell(
    terminal,
    'The credentials of the bucket: written to the file environment (mode 600), which the nights and every command with this configuration read',
  );
  const id = await questions.ask('AWS access key id [none: this machine has a role, or later]:');
  if (id === undefined) throw endedTooSoon();
  if (id === '') return undefined;
  const secret = await questions.askHidden('AWS secret access key:');
  if (secret === undefined) throw endedTooSoon();
  secrets.push(secret);
  return { id, secret };
}

const SCHEDULER: Question = {
  setting: setupSettings.scheduler,
  about: 'What starts the nightly run',
  standard: 'systemd',
};

/** Undefined where nothing was typed. */
async function keyFor(
  keyFile: string,
  questions: Questions,
  { terminal, secrets }: Asked,
): Promise<string | undefined> {
  tell(terminal, `The API key: it is not shown, and written to ${keyFile} (mode 600)`);
  for (;;) {
    const key = await questions.askHidden('api key [fill in later]:');
    if (key === undefined) throw endedTooSoon();
    if (key === '') return undefined;
    secrets.push(key);
    if (!/\s/.test(key)) return key;
    terminal.stderr.write('the key has white space in it; a key is one word\n');
  }
}

/** What is asked for, before the question. */
function tell({ stderr }: Pick<Terminal, 'stderr'>, sentence: string): void {
  stderr.write(`\n${folded(sentence, terminalWidth(stderr))}\n`);
}

function endedTooSoon(): UsageError {
  return new UsageError('the input ended before the last answer; nothing was written');
}

/** Whether the setting or one of its alternatives has a value. */
function hasValue(setting: Setting, sources: SettingSources): boolean {
  const names = [setting.name, ...(setting.alternatives ?? [])];
  return names.some((name) => valueInEffect({ ...setting, name, alternatives: [] }, sources));
}

async function answerTo(
  question: Question,
  questions: Questions,
  asked: Asked,
): Promise<string | readonly string[] | undefined> {
  const { setting, standard, onEnter, isMaybeSecret = false } = question;
  const { stderr } = asked.terminal;
  tell(asked.terminal, `${question.about ?? setting.describe}${choicesText(setting)}`);
  for (;;) {
    const line = await questions.ask(`${setting.name} [${standard}]:`);
    if (line === undefined) throw endedTooSoon();
    const answer = line === '' ? onEnter : line;
    if (answer === undefined) return undefined;
    try {
      return await checked(answer, question, asked);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      stderr.write(`${redactText(error.message, isMaybeSecret ? [answer] : [])}\n`);
    }
  }
}

/** Checks an answer like a flag, and as an export would. */
async function checked(
  answer: string,
  { setting, check }: Question,
  asked: Asked,
): Promise<string | readonly string[]> {
  const value = setting.form === 'list' ? answer.split(',').map((entry) => entry.trim()) : answer;
  const flags = { [setting.name]: value };
  resolveSettings({ setting }, { flags, environment: {}, file: undefined });
  await check?.(answer, asked);
  return value;
}
