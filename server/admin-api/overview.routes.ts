/** The endpoints of the admin page about the server as a whole: the overview, the audit log, the settings. */
import type { AuditEventRecord } from '../../shared/api/admin/audit.ts';
import type { AuditListService } from '../audit/audit-list.service.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';
import type { OverviewService } from './overview.service.ts';
import type { ServerInfoService } from './server-info.service.ts';

type Services = {
  readonly overview: OverviewService;
  readonly auditList: AuditListService;
  readonly serverInfo: ServerInfoService;
};

const csv: CsvLayout<AuditEventRecord> = {
  name: 'audit',
  columns: ['id', 'at', 'actor', 'action', 'target', 'target_id', 'address', 'details'],
};

export function addOverviewRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { overview, auditList, serverInfo } = services;
  routes.add('overview', () => overview.get());
  routes.add('audit', async ({ query }) => {
    const found = await lists.read(auditList, query, { csv });
    return found instanceof CsvFile ? found : { events: found.rows, next: found.next, total: found.total };
  });
  routes.add('serverInfo', () => serverInfo.get());
}
