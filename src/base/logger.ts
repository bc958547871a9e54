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
