/** The archive of a command that reads and names none: the one that exports write to. */
import { UsageError } from '../../base/error.js';
import { valueInEffect, type SettingSources } from '../../config/resolve-settings.js';
import { exportSettings } from '../../config/export-settings.js';
import { wordsOf, type Command } from '../command.js';
import { tooFewWords } from '../parser/parse-error-text.js';

/**
 * The flags and words of a command line, with the archive that the configuration or a variable names as `out`. What
 * changes or deletes must name its archive itself; a plan of it need not.
 *
 * @throws {UsageError} none is named anywhere
 */
export function withArchiveOfSettings(
  command: Command,
  sources: SettingSources,
): SettingSources['flags'] {
  const { archiveOfSettings: how } = command;
  const { flags } = sources;
  const isNamed = [flags['archive']].flat().some((word) => typeof word === 'string');
  if (how === 'never' || isNamed) return flags;
  // queues of a fleet are of any archive
  if (how === 'or-queue' && flags['redis'] !== undefined) return flags;
  if (how === 'to-read' && flags['dry-run'] !== true && flags['list'] !== true) {
    throw new UsageError(tooFewWords(command.usage.replace('[archive]', '<archive>')));
  }
  const archive = valueInEffect(exportSettings.out, { ...sources, flags: {} })?.value;
  if (typeof archive === 'string' && archive !== '') return { ...flags, archive };
  if (how === 'or-queue') return flags;
  throw new UsageError(
    `no archive is named: jobvault ${wordsOf(command).join(' ')} ARCHIVE, a directory or s3://bucket/prefix; or set out in the configuration, or JOBVAULT_OUT`,
  );
}
