/** Command line in, exit code out. Whatever goes wrong ends in one sentence on stderr. */
import yargs, { type Argv } from 'yargs';
import { JobvaultError, messageOf } from '../base/error.js';
import { redactText } from '../base/redact.js';
import { UsageError } from '../base/usage-error.js';
import { VERSION } from '../base/version.js';
import { readConfigFile } from '../config/config-file.js';
import { nearest } from '../config/nearest.js';
import { checkKeys, resolveSettings } from '../config/resolve-settings.js';
import type { Setting } from '../config/setting.js';
import { ALL_SETTING_NAMES, commonSettings } from '../config/settings.js';
import { createCliLogger } from './cli-logger.js';
import type { Command } from './command.js';
import { demoCommand } from './demo.js';
import { EXIT, exitCodeOfError } from './exit-code.js';
import { exportCommand } from './export.js';
import { filesCommand } from './files.js';
import { serveCommand } from './serve.js';
import { showCommand } from './show.js';
import type { Terminal } from './terminal.js';
import { verifyCommand } from './verify.js';

const COMMANDS = [
  ...[exportCommand, verifyCommand, filesCommand, showCommand],
  ...[serveCommand, demoCommand],
];

type Flags = Readonly<Record<string, unknown>>;

interface Outside {
  readonly terminal: Terminal;
  /** What must never be printed; commands add to it. */
  readonly secrets: string[];
}

export async function runCli(terminal: Terminal): Promise<number> {
  let exitCode: number = EXIT.complete;
  const secrets = [terminal.environment['JOBVAULT_API_KEY'] ?? ''];
  const parser = yargs([...terminal.arguments])
    .scriptName('jobvault')
    .usage('$0 <command>\n\nArchives the history of an AI data-analysis assistant, and proves it.')
    .parserConfiguration({
      'camel-case-expansion': false,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
    })
    .version(VERSION)
    .help()
    .alias('help', 'h')
    .wrap(Math.min(100, terminal.stdout.columns ?? 100))
    .demandCommand(1, 'no command is named')
    .strict()
    .exitProcess(false)
    .fail((message: string, error: unknown) => {
      throw error instanceof Error ? error : new UsageError(withSuggestion(message));
    })
    .epilogue(
      'Exit codes: 0 complete, 2 usage, 3 gaps, 4 integrity, 5 unreachable, 6 key, 9 storage',
    );
  for (const command of COMMANDS) {
    parser.command(
      command.usage,
      command.describe,
      (builder) => describe(builder, command),
      async (flags: Flags) => {
        exitCode = await invoke(command, flags, { terminal, secrets });
      },
    );
  }
  try {
    await parser.parseAsync();
  } catch (error) {
    return report(error, { terminal, secrets });
  }
  return exitCode;
}

function describe(builder: Argv, command: Command): Argv {
  for (const [name, description] of Object.entries(command.positionals ?? {})) {
    builder.positional(name, { describe: description, type: 'string' });
  }
  for (const setting of Object.values(command.settings)) describeSetting(builder, setting);
  for (const setting of Object.values(commonSettings)) describeSetting(builder, setting);
  for (const [example, meaning] of command.examples) builder.example(example, meaning);
  return builder;
}

function describeSetting(builder: Argv, setting: Setting): void {
  builder.option(setting.name, {
    describe: setting.describe,
    // no defaults here: whether a flag was given decides about the sources behind it
    ...(setting.form === 'switch' ? { type: 'boolean' as const } : { type: 'string' as const }),
    ...(setting.form === 'switch' ? {} : { requiresArg: true }),
    ...(setting.form === 'list' ? { array: true } : {}),
    ...(setting.default === undefined || setting.default === false
      ? {}
      : { defaultDescription: String(setting.default) }),
  });
}

async function invoke(
  command: Command,
  flags: Flags,
  { terminal, secrets }: Outside,
): Promise<number> {
  const { environment } = terminal;
  const named = resolveSettings(
    { config: commonSettings.config },
    { flags, environment, file: undefined },
  );
  const file = await readConfigFile(named.config);
  if (file) checkKeys(file, ALL_SETTING_NAMES);
  const group = { ...command.settings, ...commonSettings };
  const settings = resolveSettings(group, { flags, environment, file });
  const { logLevel: level, logFormat: format } = settings;
  const logger = createCliLogger(terminal, { level, format, secrets });
  const positionals = Object.fromEntries(
    Object.keys(command.positionals ?? {}).flatMap((name) =>
      typeof flags[name] === 'string' ? [[name, flags[name]]] : [],
    ),
  );
  return command.run({ settings, positionals, terminal, logger, secrets });
}

/** One sentence; the stack only of what should never have happened. */
function report(error: unknown, { terminal, secrets }: Outside): number {
  const { stderr, interruption } = terminal;
  if (interruption.exitCode !== undefined) return interruption.exitCode;
  const isExpected = error instanceof JobvaultError;
  const told =
    isExpected || !(error instanceof Error) ? messageOf(error) : (error.stack ?? error.message);
  stderr.write(`jobvault: ${redactText(told, secrets)}\n`);
  if (error instanceof UsageError)
    stderr.write('Try jobvault --help, or jobvault COMMAND --help.\n');
  return exitCodeOfError(error);
}

function withSuggestion(message: string): string {
  const [, unknown] = /^Unknown arguments?: (\S+?)(?:,|$)/.exec(message) ?? [];
  if (unknown === undefined) return message.replace(/\s+/g, ' ').trim();
  const words = COMMANDS.map(({ usage }) => usage.split(' ', 1)[0] ?? '');
  const flag = nearest(unknown, ALL_SETTING_NAMES);
  const guess = flag === undefined ? nearest(unknown, words) : `--${flag}`;
  return `unknown argument ${unknown}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}
