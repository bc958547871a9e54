/** Groups the flags of a command for its help. */
import { sectionsOf, type Setting, type SettingSection } from '../../config/setting.js';

const OTHERS = 'Options';
/** Fewer flags have one heading. */
const MANY = 25;

/** Whether it is one of the flags that `jobvault help s3` lists, for all commands. */
export function isOfS3({ name }: Setting): boolean {
  return /^(target-)?s3-/.test(name);
}

/** @param commandSettings the command's settings, of which those of S3 are not grouped @param common the settings of every command */
export function helpGroups(
  commandSettings: readonly Setting[],
  common: readonly Setting[],
): SettingSection[] {
  const rest = commandSettings.filter((setting) => !isOfS3(setting));
  return [
    ...(rest.length < MANY ? [{ heading: OTHERS, settings: rest }] : sectionsOf(rest, OTHERS)),
    { heading: 'Common options', settings: common },
  ]
    .filter(({ settings }) => settings.length > 0)
    .map(({ heading, settings }) => ({ heading: `${heading}:`, settings }));
}
