/** The webhook endpoints as the admin page lists them. There are few, so they are searched where they are. */
import type { WebhookEndpoint } from '../../shared/api/admin/webhooks.ts';
import type { ListTotal, PageRequest } from '../database/list-page.ts';
import type { WebhookService } from './webhook.service.ts';

export type EndpointListServiceDeps = { readonly webhooks: Pick<WebhookService, 'listAll'> };

/** What the list is narrowed to. */
export type EndpointQuery = {
  /** The beginning of a URL or of its host, in upper or lower case. */
  readonly search?: string;
  readonly status?: 'enabled' | 'disabled';
};

export class EndpointListService {
  readonly #webhooks: EndpointListServiceDeps['webhooks'];

  constructor({ webhooks }: EndpointListServiceDeps) {
    this.#webhooks = webhooks;
  }

  /** Oldest first. */
  async readPage(
    query: EndpointQuery,
    { limit, after = '' }: PageRequest,
  ): Promise<{ rows: WebhookEndpoint[]; next: string | null }> {
    const found = (await this.#find(query)).filter(({ id }) => id > after);
    const rows = found.slice(0, limit);
    return { rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
  }

  async count(query: EndpointQuery): Promise<ListTotal> {
    return { count: (await this.#find(query)).length, is_exact: true };
  }

  async #find({ search = '', status }: EndpointQuery): Promise<WebhookEndpoint[]> {
    const text = search.trim().toLowerCase();
    const endpoints = await this.#webhooks.listAll();
    return endpoints.filter(({ url, disabled_at }) => {
      const hasStatus = status === undefined || (disabled_at === null) === (status === 'enabled');
      return hasStatus && [url, new URL(url).host].some((name) => name.toLowerCase().startsWith(text));
    });
  }
}
