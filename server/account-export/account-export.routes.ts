/** `GET /auth/account/export`. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addAccountExportRoute(routes: EndpointRoutes, { accountExport }: Services): void {
  routes.add('exportAccount', ({ user, by }) => accountExport.export(user, by));
}
