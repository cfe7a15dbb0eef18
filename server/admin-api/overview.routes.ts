/** Admin page endpoints for the server as a whole: the overview, the audit log and the settings. */
import type { AuditEventRecord } from '../../shared/api/admin/audit.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';
import { type OverviewDeps, readOverview } from './overview.ts';
import { describeServer } from './server-info.ts';

const csv: CsvLayout<AuditEventRecord> = {
  name: 'audit',
  columns: ['id', 'at', 'actor', 'action', 'target', 'target_id', 'address', 'details'],
};

type OverviewRoutesDeps = OverviewDeps & Pick<Services, 'auditList'>;

export function addOverviewRoutes(routes: EndpointRoutes, deps: OverviewRoutesDeps, lists: ListResponses): void {
  const startedAtMs = deps.clock.now();
  routes.add('overview', () => readOverview(deps));
  routes.add('audit', ({ query }) => lists.read(deps.auditList, query, { name: 'events', csv }));
  routes.add('serverInfo', () => describeServer(deps, startedAtMs));
}
