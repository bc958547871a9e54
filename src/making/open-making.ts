/** What a product is made of, as programs get it that make one of their own: people, counts, conversations and caveats of one commit. */
import type { ArchiveReading } from '../archive/archive.js';
import { readConsistently } from '../archive/consistent-read.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { ViewedUser } from '../archive/reading/archive-view.js';
import { completenessOf } from '../archive/reading/caveats/caveat-text.js';
import { type Caveat, caveatsOf } from '../archive/reading/caveats/caveat.js';
import type { Completeness } from '../archive/reading/caveats/completeness.js';
import { Reading } from '../archive/reading/caveats/reading.js';
import {
  type Conversation,
  conversationIn,
  type ConversationRows,
  tablesNamed,
} from '../archive/reading/conversation.js';
import type { GivenScope } from '../archive/reading/scope.js';
import { retryOnRewrite } from '../archive/retry-on-rewrite.js';
import type { SessionSummary } from '../archive/state/session-summary.js';
import type { TableSchema } from '../model/table-schema.js';
import { present } from '../base/error.js';
import { rowId } from '../model/ids.js';
import { absolutePeriod } from '../model/times/period.js';
import type { SearchFacts } from '../search/search-facts.js';
import type { Storage } from '../storage/storage.js';
import { Conversations, type JobNotes, type MadeConversation } from './conversations.js';
import { Making, type MakingOptions } from './making.js';
import { Survey, type SurveyedSession, type SurveyedUser } from './survey.js';

export interface OpenMakingOptions extends MakingOptions, ConversationRows {
  /** Where rows are set aside. */
  readonly target: Storage;
  /** Gives the target up: called by `close`. */
  readonly release?: (() => Promise<void>) | undefined;
}

/** A conversation of a product. */
export interface ProductConversation extends Conversation {
  /** What the log says of it, and its number in the product. */
  readonly about: SurveyedSession;
  readonly jobs: readonly (Conversation['jobs'][number] & JobNotes)[];
}

type Shown = Required<Pick<ConversationRows, 'versions'>> & { readonly tables: TableSchema[] };

/** Memory holds a line for each session and user, and a few conversations; the rows wait in the target. */
export class OpenMaking implements AsyncDisposable {
  readonly #survey: Survey;
  readonly #conversations: Conversations<SurveyedSession>;
  readonly #shown: Shown;
  /** By number of the session: its user, with this session alone. */
  readonly #owners: ReadonlyMap<number, ViewedUser<SessionSummary>>;
  /** The numbers of the sessions that have been told. */
  readonly #told = new Set<number>();
  readonly #release: OpenMakingOptions['release'];

  private constructor(
    survey: Survey,
    conversations: Conversations<SurveyedSession>,
    shown: Shown,
    owners: ReadonlyMap<number, ViewedUser<SessionSummary>>,
    release: OpenMakingOptions['release'],
  ) {
    this.#release = release;
    this.#survey = survey;
    this.#conversations = conversations;
    this.#shown = shown;
    this.#owners = owners;
  }

  /**
   * Reads each part file once, and begins again where another run rewrites the archive meanwhile.
   *
   * @throws {UsageError} a user, a session or a table is not in the archive, or the words or the period make no sense
   * @throws {IntegrityError | FormatError} the archive is damaged
   */
  static async of(options: OpenMakingOptions): Promise<OpenMaking> {
    const { archive, target, release, tables: names, versions = 'newest' } = options;
    const tables = tablesNamed(names ?? ['blocks', 'artifacts']);
    return retryOnRewrite(() =>
      readConsistently(archive, 'answer', async () => {
        const making = await Making.of(options, 'answer');
        const users: ViewedUser<SessionSummary>[] = [];
        for await (const user of making.view.summaries()) users.push(user);
        const survey = await Survey.of(making, users);
        const sessions = [...survey.sessions()];
        const given = { tables, readsNoOthers: names !== undefined, target };
        const conversations = await Conversations.of(making, sessions, given);
        const shown = { tables, versions };
        return new OpenMaking(survey, conversations, shown, ownersOf(survey, users), release);
      }),
    );
  }

  /** The commit whose data it is of; null where nothing is archived. */
  get commit(): CommitRef | null {
    return this.#survey.making.asOf;
  }

  /** What was searched, and how much was found; null where no words and no period were given. */
  get search(): SearchFacts | null {
    return this.#survey.making.found?.facts ?? null;
  }

  /** Everybody, with their sessions: before any row is read. */
  get users(): readonly SurveyedUser[] {
    return [...this.#survey.users.values()];
  }

  /** Spellings of a user are one person; withheld jobs do not count. */
  get counts(): { readonly people: number; readonly sessions: number; readonly jobs: number } {
    const { peopleCount: people, sessionCount: sessions, jobCount: jobs } = this.#survey;
    return { people, sessions, jobs };
  }

  /** Every conversation once, user by user; they can be read again. */
  async *conversations(): AsyncGenerator<ProductConversation> {
    for await (const [made, conversation] of this.#read()) {
      const jobs = conversation.jobs.map((job, at) => ({ ...job, ...notesOf(made, at) }));
      yield { ...conversation, about: made.session, jobs };
    }
  }

  /** As `conversations`, with what their rows tell alone. */
  async *plainConversations(): AsyncGenerator<Conversation> {
    for await (const [, conversation] of this.#read()) yield conversation;
  }

  /**
   * What qualifies the product, what is missing first. Conversations that nobody has read yet are read for it.
   *
   * @param audience who gets the product: a recipient is told to ask, the operator what to do. Default `recipient`
   */
  async caveats(audience: 'operator' | 'recipient' = 'recipient'): Promise<readonly Caveat[]> {
    if (this.#told.size < this.#survey.sessionCount) {
      for await (const made of this.#conversations.read()) this.#tell(made);
    }
    return caveatsOf(this.#survey.making.reading, { audience });
  }

  /** How whole it is, as its caveats say. */
  async status(): Promise<Completeness> {
    return completenessOf(await this.caveats());
  }

  async close(): Promise<void> {
    await this.#conversations.discard();
    await this.#release?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *#read(): AsyncGenerator<readonly [MadeConversation<SurveyedSession>, Conversation]> {
    const { view, holds } = this.#survey.making;
    for await (const made of this.#conversations.read()) {
      this.#tell(made);
      const { number, user: user_id, session: session_id } = made.session;
      const owner = this.#owners.get(number);
      const reading = Reading.ofConversation(view, owner ? [owner] : [], holds);
      const ids = { user_id, session_id };
      yield [made, conversationIn(made, ids, { ...this.#shown, reading })];
    }
  }

  #tell(made: MadeConversation<SurveyedSession>): void {
    const { number } = made.session;
    if (this.#told.has(number)) return;
    this.#told.add(number);
    this.#survey.making.tell(made.session, made);
  }
}

function ownersOf(
  survey: Survey,
  users: readonly ViewedUser<SessionSummary>[],
): Map<number, ViewedUser<SessionSummary>> {
  const find = survey.finder();
  const owners = new Map<number, ViewedUser<SessionSummary>>();
  for (const owner of users) {
    for (const viewed of owner.sessions) {
      const surveyed = find(rowId(owner.user), rowId(viewed.session));
      if (surveyed) owners.set(surveyed.number, { ...owner, sessions: [viewed] });
    }
  }
  return owners;
}

function notesOf({ jobs }: MadeConversation<SurveyedSession>, at: number): JobNotes {
  const job = present(jobs[at], 'a job of the conversation');
  const { id, mayChange, matchedIn, isUndated, redaction } = job;
  return { id, mayChange, matchedIn, isUndated, redaction };
}

/**
 * Yields the conversations of a scope, user by user, as of the newest commit: each part file is read once, before the
 * first of them comes.
 *
 * @param target where rows are set aside
 * @throws as `OpenMaking.of`
 */
export async function* conversationsOf(
  { archive, signal }: ArchiveReading,
  scope: GivenScope,
  target: Storage,
  rows: ConversationRows = {},
): AsyncGenerator<Conversation> {
  const given = absolutePeriod(scope, archive.clock.now());
  const options = { ...given, ...rows, archive, tellsListings: false, target, signal };
  await using making = await OpenMaking.of(options);
  yield* making.plainConversations();
}
