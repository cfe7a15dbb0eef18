/** The list of webhook endpoints, oldest first. There are few, so they are searched in memory. */
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { WebhookEndpoint, webhooksQuery } from '../../shared/api/admin/webhooks.ts';
import type { List } from '../database/list.ts';

type EndpointQuery = ListFilter<typeof webhooksQuery>;

/** Creates the list of the endpoints that `readAll` returns. */
export function createEndpointList(readAll: () => Promise<WebhookEndpoint[]>): List<EndpointQuery, WebhookEndpoint> {
  const find = async ({ search = '', status }: EndpointQuery) => {
    const text = search.toLowerCase();
    return (await readAll()).filter(({ url, disabled_at }) => {
      const hasStatus = status === undefined || (disabled_at === null) === (status === 'enabled');
      return hasStatus && [url, new URL(url).host].some((name) => name.toLowerCase().startsWith(text));
    });
  };
  return {
    readPage: async (query, page) => {
      const { after = '' } = page;
      const found = (await find(query)).filter(({ id }) => id > after);
      return {
        rows: found.slice(0, page.limit),
        next: found.length > page.limit ? (found[page.limit - 1]?.id ?? null) : null,
      };
    },
    count: async (query) => ({ count: (await find(query)).length, is_exact: true }),
  };
}
