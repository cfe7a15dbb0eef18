/** A server whose endpoints are called with the generated client. */
import createClient, { type Client } from 'openapi-fetch';
import type { paths as AdminPaths } from '../../../.cache/generated-client/admin.d.ts';
import type { paths as InterfacePaths } from '../../../.cache/generated-client/interface.d.ts';
import { apiRoot } from '../../../shared/api/endpoints.ts';
import type { EndpointCall, TestResponse } from '../../harness/test-client.ts';
import type { TestServer } from '../../harness/test-server.ts';
import { adminCalls } from './admin-calls.ts';
import type { CallInput, CallResult } from './call-types.ts';
import { interfaceCalls } from './interface-calls.ts';

/** The calls of either table, whose types are unknown for an endpoint called by name. */
type AnyCall = (
  client: Client<InterfacePaths & AdminPaths>,
  input: CallInput<unknown, unknown>,
) => Promise<CallResult<unknown>>;

const calls: Readonly<Record<string, unknown>> = { ...interfaceCalls, ...adminCalls };

/** Returns `server` with response bodies as the generated client returns them. */
export function throughGeneratedClient(server: TestServer): TestServer {
  const call: TestServer['call'] = async (name, { at = '', token, body, query, headers }: EndpointCall = {}) => {
    let received: TestResponse | undefined;
    const client = createClient<InterfacePaths & AdminPaths>({
      baseUrl: `http://server${apiRoot}`,
      fetch: async (request) => {
        received = await sendTo(server, request);
        const { status, text, headers: all } = received;
        return new Response(text, { status, headers: { 'content-type': all.get('content-type') ?? '' } });
      },
    });
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const [first = '', second = ''] = [at].flat();
    const input = { at: [first, second] as const, body, query, headers: { ...authorization, ...headers } };
    const { data, error } = await (calls[name] as AnyCall)(client, input);
    if (!received) throw new Error(`the generated client sent nothing for ${name}`);
    return { ...received, body: (data ?? error) as TestResponse['body'] };
  };
  return { ...pick(server), call };
}

async function sendTo(server: TestServer, request: Request): Promise<TestResponse> {
  const { pathname, search } = new URL(request.url);
  const body = await request.text();
  const headers = Object.fromEntries(request.headers);
  return await server.request(request.method, pathname + search, { headers, ...(body === '' ? {} : { body }) });
}

/** The server may be a proxy object for one that starts later, which a spread would not copy. */
function pick({ dataFolder, request, admin, now }: TestServer): Omit<TestServer, 'call'> {
  return { dataFolder, request, admin, now };
}
