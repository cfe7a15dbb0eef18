/** The deliveries to a webhook endpoint, as the admin page lists them. */
import type { Delivery } from '../../shared/api/admin/webhooks.ts';
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import { countListedDeliveries, type DeliveryFilter, findDeliveries, listDeliveryIds } from './delivery.repository.ts';
import { toDelivery, type WebhookService } from './webhook.service.ts';

export type DeliveryListServiceDeps = { readonly database: Pick<Database, 'read'>; readonly webhooks: WebhookService };

type Query = Omit<DeliveryFilter, 'endpointId'>;

/** A list that is read page by page. */
export type DeliveryList = {
  readPage(query: Query, page: PageRequest): Promise<{ rows: Delivery[]; next: string | null }>;
  count(query: Query): Promise<ListTotal>;
};

export class DeliveryListService {
  readonly #deps: DeliveryListServiceDeps;

  constructor(deps: DeliveryListServiceDeps) {
    this.#deps = deps;
  }

  /** Throws `ApiError` NOT_FOUND if there is no such endpoint. */
  async of(endpointId: string): Promise<DeliveryList> {
    await this.#deps.webhooks.get(endpointId);
    const { read } = this.#deps.database;
    return {
      async readPage(query, page) {
        const { ids, next } = await listDeliveryIds(read, { ...query, endpointId }, page);
        const rows = ids.length === 0 ? [] : await findDeliveries(read, ids);
        return { rows: inOrderOf(ids, rows).map(toDelivery), next };
      },
      count: (query) => countListedDeliveries(read, { ...query, endpointId }),
    };
  }
}
