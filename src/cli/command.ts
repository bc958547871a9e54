/** How a command is described: its words, its settings, what it does. */
import type { Logger } from '../base/logger.js';
import type { SettingGroup, ValuesOf } from '../config/resolve-settings.js';
import type { commonSettings } from '../config/settings.js';
import type { Terminal } from './terminal.js';

export interface Command<Group extends SettingGroup = SettingGroup> {
  /** As yargs writes it: `verify <archive>`. */
  readonly usage: string;
  readonly describe: string;
  /** For each word in brackets, what it stands for. */
  readonly positionals?: Readonly<Record<string, string>>;
  /** Beside the common ones. */
  readonly settings: Group;
  /** Command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** Resolves with the exit code. */
  readonly run: (invocation: Invocation<Group>) => Promise<number>;
}

export interface Invocation<Group extends SettingGroup = SettingGroup> {
  readonly settings: ValuesOf<Group> & ValuesOf<typeof commonSettings>;
  readonly positionals: Readonly<Record<string, string>>;
  readonly terminal: Terminal;
  readonly logger: Logger;
  /** What must never be printed: a command adds the key that it reads. */
  readonly secrets: string[];
}

/** Keeps the types of a command's own settings inside it. */
export function defineCommand<const Group extends SettingGroup>(command: Command<Group>): Command {
  return command as unknown as Command;
}
