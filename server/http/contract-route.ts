/** Registers entries of the endpoint table as routes: limit, authentication, parsing and answer all come from the table. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { apiRoot, type Endpoint, type EndpointName, endpoints, type ResponseOf } from '../../shared/api/endpoints.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { ApiError } from '../errors.ts';
import type { RateCounter } from '../rate-limits/rate-counter.ts';
import type { Authenticate, SignedIn } from './bearer-auth.ts';
import { rateLimitAddress } from './network-address.ts';
import { setRateHeaders } from './rate-headers.ts';
import { compileSerialiser } from './serialise.ts';

type Table = typeof endpoints;

/** What a handler gets: everything parsed, nothing of HTTP but what has a meaning. */
export type Input<N extends EndpointName> = {
  /** The parsed body; `undefined` where the endpoint takes none. */
  readonly body: Table[N] extends { request: infer R extends z.ZodType } ? z.output<R> : undefined;
  /** The parsed parameters of the path. */
  readonly params: Table[N] extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  /** The signed-in account; `undefined` where the endpoint needs none. */
  readonly account: Table[N]['auth'] extends 'bearer' ? SignedIn : undefined;
  readonly headers: IncomingHttpHeaders;
  /** The client's address, through trusted proxies. */
  readonly address: string;
};

/** An answer with a status other than 200, out of the endpoint's `otherResponses`. */
export class OtherResponse {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

export type Handler<N extends EndpointName> = (input: Input<N>) => Promise<ResponseOf<N> | OtherResponse>;

/** How a feature adds its endpoints: `contract.add('heartbeat', ({ body, account }) => service.record(…))`. */
export type Contract = { add<N extends EndpointName>(name: N, handler: Handler<N>): void };

export type ContractParts = {
  readonly app: FastifyInstance;
  readonly counter: RateCounter;
  /** Requests a minute by bucket; 0 is no limit. */
  readonly rateLimits: Readonly<Record<Endpoint['rate'], number>>;
  readonly authenticate: Authenticate;
};

export function createContract(parts: ContractParts): Contract {
  return { add: (name, handler) => addRoute(parts, name, handler) };
}

function addRoute<N extends EndpointName>(parts: ContractParts, name: N, handler: Handler<N>): void {
  const endpoint: Endpoint = endpoints[name];
  const send = createSender(endpoint);
  const accounts = new WeakMap<FastifyRequest, SignedIn>();
  parts.app.withTypeProvider<ZodTypeProvider>().route({
    method: endpoint.method as HTTPMethods,
    url: apiRoot + endpoint.path,
    schema: requestSchema(endpoint),
    async onRequest(request, reply) {
      const account = await admit(parts, name, request, reply);
      if (account) accounts.set(request, account);
    },
    async handler(request, reply) {
      const input = {
        body: request.body,
        params: request.params,
        account: accounts.get(request),
        headers: request.headers,
        address: request.ip,
      };
      return send(reply, await handler(input as Input<N>));
    },
  });
}

/** Authenticates and counts. A request whose token is refused counts against its address (decisions "Rate limits"). */
async function admit(
  parts: ContractParts,
  name: EndpointName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  const byAddress = `address ${rateLimitAddress(request.ip)}`;
  if (endpoints[name].auth === 'none') {
    await countRequest(parts, name, byAddress, reply);
    return undefined;
  }
  let account: SignedIn;
  try {
    account = await parts.authenticate(request.headers);
  } catch (error) {
    await countRequest(parts, name, byAddress, reply);
    throw error;
  }
  await countRequest(parts, name, `account ${account.id}`, reply);
  return account;
}

async function countRequest(
  parts: ContractParts,
  name: EndpointName,
  client: string,
  reply: FastifyReply,
): Promise<void> {
  const { rate } = endpoints[name];
  const limit = parts.rateLimits[rate];
  if (limit === 0) return;
  const policy = rate === 'default' ? name : rate;
  const verdict = await parts.counter.take(`${policy} ${client}`, limit);
  setRateHeaders(reply, policy, verdict);
  if (!verdict.admitted) throw new ApiError('RATE_LIMITED', errorTable.RATE_LIMITED.message, verdict.resetSeconds);
}

/** Without a body Fastify validates null: to an endpoint that can do without one, that is an empty object. */
function requestSchema({ request, requestOptional, params }: Endpoint): { body?: z.ZodType; params?: z.ZodType } {
  const body = request && requestOptional ? z.preprocess((sent) => sent ?? {}, request) : request;
  return { ...(body && { body }), ...(params && { params }) };
}

function createSender(endpoint: Endpoint): (reply: FastifyReply, answer: unknown) => FastifyReply {
  const serialise = compileSerialiser(endpoint.response);
  const others = new Map(
    Object.entries(endpoint.otherResponses ?? {}).map(([status, schema]) => [
      Number(status),
      compileSerialiser(schema),
    ]),
  );
  return (reply, answer) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    if (!(answer instanceof OtherResponse)) return reply.send(serialise(answer));
    const serialiseOther = others.get(answer.status);
    if (!serialiseOther) throw new TypeError(`the endpoint has no answer with status ${answer.status}`);
    return reply.code(answer.status).send(serialiseOther(answer.body));
  };
}
