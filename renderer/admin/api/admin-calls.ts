/** Sends calls of the endpoint table to the server that served the page. */
import type {
  AdminEndpointName,
  AdminQueryOf,
  AdminRequestOf,
  AdminResponseOf,
} from '../../../shared/api/admin-endpoints.ts';
import type { StaffRole } from '../../../shared/api/staff-role.ts';
import type { Result } from '../../../shared/ipc/result.ts';
import { sendRequest } from '../../send-request.ts';

type AdminCall = {
  readonly method: string;
  readonly path: string;
  /** Empty where nobody has to be signed in. */
  readonly roles: readonly StaffRole[];
  /** Of an endpoint that takes a file. */
  readonly maxFileBytes?: number;
};

/** Inserted by the build, from the endpoint table. */
declare const adminCalls: Readonly<Record<AdminEndpointName, AdminCall>>;

export type CallOptions<N extends AdminEndpointName> = {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: AdminQueryOf<N>;
  readonly body?: AdminRequestOf<N>;
  readonly signal?: AbortSignal;
};

/** Relative, so that the page also works below the path of a proxy. */
const apiRoot = 'api/v1';

/** The address of a call, for links such as that of a CSV file. */
export function urlOf<N extends AdminEndpointName>(name: N, { params = {}, query }: CallOptions<N> = {}): string {
  const path = adminCalls[name].path.replace(/:(\w+)/g, (_, key) => encodeURIComponent(params[key] ?? ''));
  const given = Object.entries(query ?? {}).filter((entry): entry is [string, string] => !!entry[1]);
  return `${apiRoot}${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`;
}

export function methodOf(name: AdminEndpointName): string {
  return adminCalls[name].method;
}

/** Of the largest file that the endpoint takes. */
export function maxFileBytes(name: AdminEndpointName): number {
  return adminCalls[name].maxFileBytes ?? 0;
}

/** Whether staff of this role may use the endpoint. */
export function mayCall(role: StaffRole, name: AdminEndpointName): boolean {
  return adminCalls[name].roles.includes(role);
}

/** Whether the endpoint needs a session. */
export function needsSession(name: AdminEndpointName): boolean {
  return adminCalls[name].roles.length > 0;
}

/** Never throws: a call without a response is SERVER_UNREACHABLE, one that `signal` ended CANCELED. */
export async function sendCall<N extends AdminEndpointName>(
  name: N,
  options: CallOptions<N> = {},
): Promise<Result<AdminResponseOf<N>>> {
  return sendRequest<AdminResponseOf<N>>({ method: methodOf(name), url: urlOf(name, options), ...options });
}
