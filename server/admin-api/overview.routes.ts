/** Admin page endpoints for the server as a whole: the overview, the audit log and the settings. */
import type { AuditEventRecord } from '../../shared/api/admin/audit.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

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
