/** Calls the API as the user who is signed in to the account page: its cookie goes with every request. */
import type { EndpointName, RequestOf, ResponseOf } from '../../shared/api/endpoints.ts';
import type { Language } from '../../shared/ipc/language.ts';
import type { Result } from '../../shared/ipc/result.ts';
import { sendRequest } from '../send-request.ts';

/** Inserted by the build, from the endpoint table. */
declare const accountCalls: Readonly<Record<EndpointName, { readonly method: string; readonly path: string }>>;

/** Relative, so that the page also works below the path of a proxy. */
const apiRoot = 'api/v1';

export type CallOptions<N extends EndpointName> = {
  /** The parameters of the path. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: RequestOf<N>;
  /** Of what the server writes to people. */
  readonly language?: Language;
  readonly idempotencyKey?: string;
};

/** Never throws: a call without a response is SERVER_UNREACHABLE. */
export function callApi<N extends EndpointName>(
  name: N,
  { params = {}, body, language, idempotencyKey }: CallOptions<N> = {},
): Promise<Result<ResponseOf<N>>> {
  const { method, path } = accountCalls[name];
  return sendRequest<ResponseOf<N>>({
    method,
    url: apiRoot + path.replace(/:(\w+)/g, (_, key) => encodeURIComponent(params[key] ?? '')),
    body,
    headers: {
      ...(language !== undefined && { 'accept-language': language }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
  });
}
