/** Traces what a run is doing, for a progress display and a tracing backend. */
export interface Tracer {
  /** Resolves or fails as `work` does; what begins inside is a part of it. */
  span<T>(name: SpanName, fields: SpanFields, work: (note: Note) => Promise<T>): Promise<T>;
}

/**
 * - `run`, `user`, `checkpoint`: the parts that people know
 * - `request`: one to the service, until its answer is read
 * - `download`: one try at one file
 * - `pace`: a request waits for the rate limit
 * - `backoff`: a failed request waits to be sent again
 * - `lease`: a user waits for another run that is at work on them
 * - `save`: rows wait to be written, or for the checkpoint that is being committed
 */
export type SpanName =
  'run' | 'user' | 'request' | 'download' | 'checkpoint' | 'pace' | 'backoff' | 'lease' | 'save';

/** Short facts: never a secret, a URL, or what people have written. */
export type SpanFields = Readonly<Record<string, string | number | boolean>>;

/** Adds what becomes known on the way. */
export type Note = (fields: SpanFields) => void;

export const silentTracer: Tracer = { span: (_name, _fields, work) => work(() => undefined) };

/** Tells both; the second one's spans begin inside the first one's. */
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
