/** Admin page endpoints for the server as a whole: the overview, the audit log and the settings. */
import type { AuditEventRecord } from '../../shared/api/admin/audit.ts';
import type { AuditQuery } from '../audit/audit-list.ts';
import type { AuditEntry } from '../audit/audit-log.service.ts';
import type { List } from '../database/list.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';
import type { OverviewService } from './overview.service.ts';
import type { ServerInfoService } from './server-info.service.ts';

type Services = {
  readonly overview: OverviewService;
  readonly auditList: List<AuditQuery, AuditEntry>;
  readonly serverInfo: ServerInfoService;
};

const csv: CsvLayout<AuditEventRecord> = {
  name: 'audit',
  columns: ['id', 'at', 'actor', 'action', 'target', 'target_id', 'address', 'details'],
};

export function addOverviewRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { overview, auditList, serverInfo } = services;
  routes.add('overview', () => overview.get());
  routes.add('audit', ({ query }) => lists.read(auditList, query, { name: 'events', csv }));
  routes.add('serverInfo', () => serverInfo.get());
}
