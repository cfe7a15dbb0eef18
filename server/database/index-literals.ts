/**
 * Constants that conditions of partial indexes name, as part of a statement's SQL. As a parameter, SQLite would compare them
 * with those conditions, and compile the statement again at every execution: 0.2 ms for the snapshot of an account.
 */
import { sql } from 'kysely';

/** For `is_replaced`: the subscriptions that count. */
export const notReplaced = sql.lit<0>(0);
