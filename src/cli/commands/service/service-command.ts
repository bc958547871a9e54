/** What the commands of `sessions` and `datasets` share: a client that acts for one user, the id that they name, and how they answer. */
import { serviceUserSettings } from '../../../config/service-command-settings.js';
import type { SettingGroup } from '../../../config/resolve-settings.js';
import type { JsonObject } from '../../../model/records.js';
import {
  defineCommand,
  type Command,
  type CommandDefinition,
  type CommandResult,
  type Invocation,
} from '../../command.js';
import { fieldText, withService, type UserService } from '../../input/with-service.js';
import { visible } from '../../../base/text/visible.js';

type ServiceInvocation<Group extends SettingGroup> = Invocation<Group & typeof serviceUserSettings>;

/** What a command is about: its last word is an id of it. */
interface Subject<Id> {
  readonly word: string;
  readonly idOf: (text: string) => Id;
}

interface ServiceCommand<Group extends SettingGroup, Id, Begun> extends Pick<
  CommandDefinition<string, Group, Group>,
  'usage' | 'describe' | 'examples'
> {
  readonly about?: Subject<Id>;
  /** Beside those of every command of the service. */
  readonly settings?: Group;
  readonly onlyReads?: boolean;
  /** Before the service is asked. @throws {UsageError} the settings do not go together, or nobody can be asked */
  readonly begin?: (invocation: ServiceInvocation<Group>) => Begun;
  readonly answer: (
    acting: UserService & { readonly id: Id },
    invocation: ServiceInvocation<Group>,
    begun: Begun,
  ) => Promise<CommandResult>;
}

export function serviceCommand<
  const Group extends SettingGroup,
  Id = undefined,
  Begun = undefined,
>({
  usage,
  describe,
  about,
  settings,
  examples,
  onlyReads = false,
  begin,
  answer,
}: ServiceCommand<Group, Id, Begun>): Command {
  return defineCommand<string, Group & typeof serviceUserSettings>({
    usage,
    describe,
    positionals: about ? { [about.word]: `The ${about.word}'s id` } : {},
    settings: { ...serviceUserSettings, ...settings } as Group & typeof serviceUserSettings,
    examples,
    onlyReads: () => onlyReads,
    run: async (invocation) => {
      const begun = begin?.(invocation) as Begun;
      const id = about?.idOf(invocation.positionals[about.word] ?? '') as Id;
      const opening = invocation as unknown as Invocation<typeof serviceUserSettings>;
      return withService(opening, (acting) => answer({ ...acting, id }, invocation, begun));
    },
  });
}

/** A record of the service: one field per line. */
export function recordResult(record: JsonObject): CommandResult {
  const facts = Object.entries(record).map(
    ([field, value]) => [visible(field), fieldText(value)] as const,
  );
  return { value: record, view: { facts } };
}

export function createdResult(id: string): CommandResult {
  return { value: { id }, view: { headline: id } };
}

export function changedResult(id: string): CommandResult {
  return { value: { id, modified: true }, view: { headline: `Changed ${id}.` } };
}
