/** What a program makes a product of its own of; rows wait in a temporary directory meanwhile. */
import type { Conversation, ConversationRows } from '../archive/reading/conversation.js';
import type { GivenScope } from '../archive/reading/scope.js';
import { conversationsOf, OpenMaking } from '../making/open-making.js';
import type { SearchChoice } from '../search/search-choice.js';
import { makeTemporaryDirectory } from '../storage/local/temporary-directory.js';
import type { CallContext } from './call-context.js';
import { choiceOf } from './for-request.js';

/** With `match`, `from` or `to` it is of the jobs alone that a search finds. */
export interface MakingChoices extends SearchChoice, GivenScope, ConversationRows {
  /** The name or the id of an open request for which it is made. */
  readonly request?: string | undefined;
  /** Tables and images that the archive has lost are told as lost. Default: they count as stored, whoever reads one fails. */
  readonly allowLostFiles?: boolean | undefined;
}

/** @throws {UsageError} as `OpenMaking.of`, or there is no such open request */
export async function openMaking(
  context: CallContext,
  { request: name, ...given }: MakingChoices,
): Promise<OpenMaking> {
  const { choice, request } = await choiceOf(context, name, given);
  const temporary = await makeTemporaryDirectory();
  const options = { ...choice, ...context.reading, request, target: temporary.storage };
  try {
    return await OpenMaking.of({ ...options, release: () => temporary.remove() });
  } catch (error) {
    await temporary.remove();
    throw error;
  }
}

/** @throws {UsageError} as `conversationsOf` */
export async function* conversationsIn(
  context: CallContext,
  scope: GivenScope,
  rows: ConversationRows,
): AsyncGenerator<Conversation> {
  const temporary = await makeTemporaryDirectory();
  try {
    yield* conversationsOf(context.reading, scope, temporary.storage, rows);
  } finally {
    await temporary.remove();
  }
}
