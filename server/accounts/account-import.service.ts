/** Imports accounts from another system, with their password hashes. */
import { nameText } from '../../shared/api/fields.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Executor, Transaction } from '../database/database.ts';
import { ApiError } from '../errors.ts';
import { type Fields, planRow, type RowImporter, type RowPlan } from '../import/row-importer.ts';
import { OrderedUuids } from '../random.ts';
import type { EventOutbox } from '../webhooks/event-outbox.ts';
import { findUsersByEmailKeys, insertUsers, type UserRow } from './account.repository.ts';
import { requireEmail } from './email.ts';
import { findHashProblem } from './password-hash.rules.ts';

type AccountImportServiceDeps = CommonDeps & {
  readonly outbox: EventOutbox;
};

const existsAlready = 'An account with this email address exists already.';

export class AccountImportService implements RowImporter<UserRow> {
  readonly columns = ['email', 'full_name', 'password_hash'];
  readonly requiredColumns = ['email'];
  readonly duplicateRefusal = existsAlready;
  readonly #deps: AccountImportServiceDeps;
  /** Ordered ids, so that lists show the accounts in the order of the file. */
  readonly #ids: OrderedUuids;

  constructor(deps: AccountImportServiceDeps) {
    this.#deps = deps;
    this.#ids = new OrderedUuids(deps.random);
  }

  async plan(executor: Executor, rows: readonly Fields[]): Promise<RowPlan<UserRow>[]> {
    const keys = rows.flatMap(({ email = '' }) => parseEmail(email)?.key ?? []);
    const existing = new Set((await findUsersByEmailKeys(executor, keys)).map(({ email_key }) => email_key));
    return rows.map((fields) =>
      planRow<UserRow>(() => {
        const row = this.#toRow(fields);
        return existing.has(row.email_key) ? { refusal: existsAlready } : { key: row.email_key, row };
      }),
    );
  }

  async insert(transaction: Transaction, rows: readonly UserRow[]): Promise<void> {
    await insertUsers(transaction, rows);
    const events = rows.map(({ id }) => ({ type: 'account.created', userId: id, data: {} }) as const);
    await this.#deps.outbox.addAll(transaction, events);
  }

  #toRow({ email: emailText = '', full_name = '', password_hash = '' }: Fields): UserRow {
    const { clock } = this.#deps;
    const email = requireEmail(emailText);
    const name = nameText.safeParse(full_name);
    const problem = name.success ? findHashProblem(password_hash) : `full_name ${name.error.issues[0]?.message}.`;
    if (problem) throw new ApiError('VALIDATION_ERROR', problem);
    const nowMs = clock.now();
    return {
      id: this.#ids.next(nowMs),
      email: email.address,
      email_key: email.key,
      full_name,
      password_hash,
      created_at_ms: nowMs,
      password_changed_at_ms: nowMs,
      // The operator vouches for the address: nobody signed up with it here.
      email_confirmed_at_ms: nowMs,
      password_set_by: null,
    };
  }
}
