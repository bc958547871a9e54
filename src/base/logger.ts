/** A log. Fields never contain a key or a URL's query string. */
export interface Logger {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The same log with these fields added to every line. */
export function withFields(logger: Logger, fields: LogFields): Logger {
  return {
    debug(more, message) {
      logger.debug({ ...fields, ...more }, message);
    },
    info(more, message) {
      logger.info({ ...fields, ...more }, message);
    },
    warn(more, message) {
      logger.warn({ ...fields, ...more }, message);
    },
    error(more, message) {
      logger.error({ ...fields, ...more }, message);
    },
  };
}

/** Records what a run is doing, for a progress display and a tracing backend. */
export interface Tracer {
  /** Resolves or fails as `work` does; spans that begin inside are its children. */
  span<T>(name: SpanName, fields: SpanFields, work: (note: Note) => Promise<T>): Promise<T>;
}

/**
 * - `run`, `user`, `checkpoint`: the parts of a run
 * - `request`: a request to the service, until its answer is read
 * - `download`: one attempt at one file
 * - `pace`: a request waits for the rate limit
 * - `backoff`: a failed request waits to be sent again
 * - `lease`: a user waits for another run that works on it
 * - `save`: rows wait to be written, or for the checkpoint that is being committed
 */
export type SpanName =
  'run' | 'user' | 'request' | 'download' | 'checkpoint' | 'pace' | 'backoff' | 'lease' | 'save';

/** Short facts: never a secret, a URL, or text of a user. */
export type SpanFields = Readonly<Record<string, string | number | boolean>>;

/** Adds fields that become known during the span. */
export type Note = (fields: SpanFields) => void;

export const silentTracer: Tracer = { span: (_name, _fields, work) => work(() => undefined) };

/** Records with both; the second one's spans begin inside the first one's. */
export function joinTracers(first: Tracer, second: Tracer): Tracer {
  return {
    span: (name, fields, work) =>
      first.span(name, fields, (noteFirst) =>
        second.span(name, fields, (noteSecond) =>
          work((more) => {
            noteFirst(more);
            noteSecond(more);
          }),
        ),
      ),
  };
}
