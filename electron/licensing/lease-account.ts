/** The account whose lease counts while nobody is signed in: that of the expired session, or of an imported lease. */
import { z } from 'zod';
import type { Owner } from './license-store.ts';
import type { Log, SecretStore } from './platform.ts';
import { readDocument } from './stored-document.ts';

const documentName = 'lease-account';

const leaseAccountDocument = z.object({
  version: z.literal(1),
  /** Empty if the lease was imported before any server was chosen. */
  serverAddress: z.string(),
  accountId: z.string(),
});
type Account = Omit<z.infer<typeof leaseAccountDocument>, 'version'>;

type LeaseAccountDeps = { readonly secrets: SecretStore; readonly log: Log };

export class LeaseAccount {
  readonly #deps: LeaseAccountDeps;
  #current: Account | null = null;
  /** The stored document is unreadable or from a newer version: it is set aside before the first write. */
  #setAsideFirst = false;

  constructor(deps: LeaseAccountDeps) {
    this.#deps = deps;
  }

  get current(): Account | null {
    return this.#current;
  }

  async load(): Promise<void> {
    const read = await readDocument(this.#deps.secrets, documentName, leaseAccountDocument);
    this.#setAsideFirst = read.kind === 'unreadable' || (read.kind === 'value' && read.isNewer);
    if (read.kind === 'value')
      this.#current = { serverAddress: read.value.serverAddress, accountId: read.value.accountId };
  }

  /** Never rejects. */
  async remember({ serverAddress, accountId }: Owner): Promise<void> {
    if (this.#current?.accountId === accountId && this.#current.serverAddress === serverAddress) return;
    this.#current = { serverAddress, accountId };
    const { secrets, log } = this.#deps;
    try {
      if (this.#setAsideFirst) await secrets.setAside(documentName);
      this.#setAsideFirst = false;
      await secrets.write(documentName, JSON.stringify({ version: 1, min_reader: 1, ...this.#current }));
    } catch {
      log.warn('the account of the lease could not be stored');
    }
  }

  /** Never rejects. */
  async forget(): Promise<void> {
    if (this.#current === null) return;
    this.#current = null;
    await this.#deps.secrets
      .remove(documentName)
      .catch(() => this.#deps.log.warn('the account of the lease could not be removed'));
  }
}
