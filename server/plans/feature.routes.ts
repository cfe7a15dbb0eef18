/** `/features`: the features of the server, with texts for users. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addFeatureRoutes(routes: EndpointRoutes, { features }: Services): void {
  routes.add('features', async ({ headers }) => ({ features: await features.listTexts(headers['accept-language']) }));
}
