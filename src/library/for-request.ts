/** What is made for an open request takes its scope from there, and is recorded there. */
import type { WorkForRequest } from '../archive/notes/change-requests.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { absolutePeriod } from '../model/times/period.js';
import type { GivenChoice } from './request-scope.js';
import type { CallContext } from './call-context.js';

/** The open request that something is made for. */
export interface ForRequest {
  /** Its name or its id. */
  readonly name: string;
  /** The person who makes it. */
  readonly by: string;
}

interface DoneForRequest<T, Done> {
  readonly forRequest: ForRequest | undefined;
  readonly given: T;
  /** Words may be given that the request does not have. Default: they may not. */
  readonly takesWords?: boolean;
  readonly work: (choice: T, request: RequestRecord | undefined) => Promise<Done>;
  /** What the request records of what is done: it is whole, and in its place. */
  readonly recordOf: (done: Done, by: string, choice: T) => WorkForRequest;
}

/**
 * Where it is for no request, as given, and it is recorded nowhere.
 *
 * @throws {UsageError | SigningKeyError | SigningStartError} nothing is done
 */
export async function doneFor<T extends GivenChoice, Done>(
  context: CallContext,
  { forRequest, given, takesWords, work, recordOf }: DoneForRequest<T, Done>,
): Promise<Done> {
  if (forRequest) await context.reader.log.assertMayAppend();
  const { choice, request } = await choiceOf(context, forRequest?.name, given, takesWords);
  const done = await work(choice, request);
  if (request && forRequest) {
    const { noteForRequest } = await import('../archive/notes/change-requests.js');
    const noted = { name: request.id, work: recordOf(done, forRequest.by, choice) };
    await context.stamped(noteForRequest(context.reader, noted));
  }
  return done;
}

interface ChoiceOfRequest<T> {
  readonly choice: T;
  readonly request: RequestRecord | undefined;
}

/** For what is not recorded. @param name of an open request, or its id @param takesWords as that of `doneFor` @throws {UsageError} */
export async function choiceOf<T extends GivenChoice>(
  { archive, reader }: CallContext,
  name: string | undefined,
  choice: T,
  takesWords = false,
): Promise<ChoiceOfRequest<T>> {
  const given = absolutePeriod(choice, archive.clock.now());
  if (name === undefined) return { choice: given, request: undefined };
  const { openRequestIn } = await import('../archive/notes/change-requests.js');
  const { assertNotAllErased, choiceOfRequest } = await import('./request-scope.js');
  await reader.index.refresh();
  const request = openRequestIn(reader, name);
  await assertNotAllErased(reader, request);
  return { choice: choiceOfRequest(request, given, takesWords), request };
}
