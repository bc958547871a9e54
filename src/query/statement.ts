/** Checks that a query is one statement that only reads, before anything of it runs. */
import { messageOf } from '../base/error.js';
import { UsageError } from '../base/usage-error.js';
import type { DuckDb, DuckDBConnection } from './duck-db.js';

const ALLOWED = 'one SELECT (or WITH, FROM, VALUES, PIVOT, DESCRIBE, SUMMARIZE, SHOW)';

/**
 * @throws {UsageError} it is none, several, or one that does more than read
 * @throws what DuckDB throws at SQL that it does not understand
 */
export async function assertOneSelect(
  { StatementType }: DuckDb,
  connection: DuckDBConnection,
  sql: string,
): Promise<void> {
  const statements = await connection.extractStatements(sql).catch((error: unknown) => {
    // what the binding says of a text without any statement
    if (messageOf(error) === 'Error in native callback') return undefined;
    throw error;
  });
  if (!statements || statements.count === 0) {
    throw new UsageError(`the query holds no statement; allowed is ${ALLOWED}`);
  }
  if (statements.count > 1) {
    throw new UsageError(
      `the query comes to ${statements.count} statements; allowed is ${ALLOWED}, a PIVOT with its values named: IN (…)`,
    );
  }
  const statement = await statements.prepare(0);
  try {
    const { statementType, parameterCount } = statement;
    if (statementType !== StatementType.SELECT) {
      throw new UsageError(
        `a query only reads, but this is ${StatementType[statementType]}; allowed is ${ALLOWED}`,
      );
    }
    if (parameterCount > 0) {
      throw new UsageError('the query has parameters ($1 or ?), and there is nothing to fill them');
    }
  } finally {
    statement.destroySync();
  }
}
