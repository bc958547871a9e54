/** What is made for an open request takes its scope from there, and is recorded there. */
import type { WorkForRequest } from '../archive/notes/change-requests.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { absolutePeriod } from '../model/times/period.js';
import type { GivenChoice, MadePack } from './request-scope.js';
import type { CallContext } from './call-context.js';

/** The open request that something is made for. */
export interface ForRequest {
  /** Its name or its id. */
  readonly name: string;
  /** The person who makes it. */
  readonly by: string;
}

/** @param takesWords words may be given that the request does not have @throws {UsageError | SigningKeyError | SigningStartError} */
export async function choiceFor<T extends GivenChoice>(
  context: CallContext,
  forRequest: ForRequest | undefined,
  choice: T,
  takesWords = false,
): Promise<ChoiceOfRequest<T>> {
  if (forRequest) await context.reader.log.assertMayAppend();
  return choiceOf(context, forRequest?.name, choice, takesWords);
}

interface ChoiceOfRequest<T> {
  readonly choice: T;
  readonly request: RequestRecord | undefined;
}

/** As `choiceFor`, for what is not recorded. @param name of an open request, or its id */
export async function choiceOf<T extends GivenChoice>(
  { archive, reader }: CallContext,
  name: string | undefined,
  choice: T,
  takesWords = false,
): Promise<ChoiceOfRequest<T>> {
  const given = absolutePeriod(choice, archive.clock.now());
  if (name === undefined) return { choice: given, request: undefined };
  const { openRequestIn } = await import('../archive/notes/change-requests.js');
  const { choiceOfRequest } = await import('./request-scope.js');
  await reader.index.refresh();
  const request = openRequestIn(reader, name);
  return { choice: choiceOfRequest(request, given, takesWords), request };
}

export async function noteWork(
  context: CallContext,
  { id: name }: RequestRecord,
  work: WorkForRequest,
): Promise<void> {
  const { noteForRequest } = await import('../archive/notes/change-requests.js');
  await context.stamped(noteForRequest(context.reader, { name, work }));
}

interface HandedOverFor {
  readonly request: RequestRecord | undefined;
  readonly forRequest: ForRequest | undefined;
  readonly made: MadePack;
}

/** Nothing where it was made for no request. @param work.made is whole, and in its place */
export async function noteHandedOver(
  context: CallContext,
  { request, forRequest, made }: HandedOverFor,
): Promise<void> {
  if (!request || !forRequest) return;
  const { packWork } = await import('./request-scope.js');
  await noteWork(context, request, packWork(made, forRequest.by));
}
