/** Where diagnostics go. Fields never hold a key or a URL's query string. */
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

/** The same log; every line carries these fields, too. */
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
