/** The server as a whole: overview, audit log and settings. */
import type { Endpoint } from '../endpoints.ts';
import { viewer } from './access.ts';
import { auditList, auditQuery } from './audit.ts';
import { overview } from './overview.ts';
import { serverInfo } from './server.ts';

export const serverEndpoints = {
  overview: {
    summary: 'Get counts, the last 30 days, and what needs attention',
    method: 'GET',
    path: '/admin/overview',
    ...viewer,
    response: overview,
    errors: [],
  },
  audit: {
    summary: 'List entries of the audit log',
    method: 'GET',
    path: '/admin/audit',
    ...viewer,
    query: auditQuery,
    response: auditList,
    errors: [],
  },
  serverInfo: {
    summary: 'Get the version, database and settings of the server',
    method: 'GET',
    path: '/admin/server',
    ...viewer,
    response: serverInfo,
    errors: [],
  },
} as const satisfies Record<string, Endpoint>;
