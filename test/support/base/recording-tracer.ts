/** Records every span with its fields, and its parent span. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SpanFields, Tracer } from '../../../src/base/logger.js';

export interface RecordedSpan {
  readonly name: string;
  readonly within: RecordedSpan | undefined;
  readonly fields: Record<string, SpanFields[string]>;
  error?: unknown;
}

export function recordingTracer(): Tracer & { readonly spans: RecordedSpan[] } {
  const around = new AsyncLocalStorage<RecordedSpan>();
  const spans: RecordedSpan[] = [];
  return {
    spans,
    span(name, fields, work) {
      const span: RecordedSpan = { name, within: around.getStore(), fields: { ...fields } };
      spans.push(span);
      return around.run(span, async () => {
        try {
          return await work((more) => void Object.assign(span.fields, more));
        } catch (error) {
          span.error = error;
          throw error;
        }
      });
    },
  };
}
