/** `GET /auth/account/export`. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { AccountExportService } from './account-export.service.ts';

export function addAccountExportRoute(routes: EndpointRoutes, accountExport: AccountExportService): void {
  routes.add('exportAccount', ({ user }) => accountExport.export(user));
}
