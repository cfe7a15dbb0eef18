/** Registers entries of the endpoint table as routes, which define rate limit, authentication, parsing and response. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { apiRoot, type Endpoint, type EndpointName, endpoints, type ResponseOf } from '../../shared/api/endpoints.ts';
import type { BearerAuth, SignedInUser } from './bearer-auth.ts';
import { rateLimitAddress } from './network-address.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { compileSerializer } from './serialize.ts';

type Table = typeof endpoints;

/** What a handler gets: the parsed request, with nothing left of HTTP but headers and address. */
export type Input<N extends EndpointName> = {
  /** The parsed body; `undefined` if the endpoint takes none. */
  readonly body: Table[N] extends { request: infer R extends z.ZodType } ? z.output<R> : undefined;
  /** The parsed parameters of the path. */
  readonly params: Table[N] extends { params: infer P extends z.ZodType } ? z.output<P> : undefined;
  /** The signed-in user; `undefined` if the endpoint needs no authentication. */
  readonly user: Table[N]['auth'] extends 'bearer' ? SignedInUser : undefined;
  readonly headers: IncomingHttpHeaders;
  /** The client's address, taken from trusted proxies if there are any. */
  readonly address: string;
};

/** A response with a status other than 200, from the endpoint's `otherResponses`. */
export class OtherResponse {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

export type Handler<N extends EndpointName> = (input: Input<N>) => Promise<ResponseOf<N> | OtherResponse>;

export type EndpointRoutesDeps = {
  readonly app: FastifyInstance;
  readonly limiter: RequestLimiter;
  readonly auth: BearerAuth;
};

export class EndpointRoutes {
  readonly #deps: EndpointRoutesDeps;

  constructor(deps: EndpointRoutesDeps) {
    this.#deps = deps;
  }

  /** Adds one endpoint: `routes.add('heartbeat', ({ body, user }) => heartbeats.record(user.id, body.device_id))`. */
  add<N extends EndpointName>(name: N, handler: Handler<N>): void {
    const endpoint: Endpoint = endpoints[name];
    const send = createSender(endpoint);
    const users = new WeakMap<FastifyRequest, SignedInUser>();
    this.#deps.app.withTypeProvider<ZodTypeProvider>().route({
      method: endpoint.method as HTTPMethods,
      url: apiRoot + endpoint.path,
      schema: requestSchema(endpoint),
      onRequest: async (request, reply) => {
        const user = await this.#authenticateAndCount(name, request, reply);
        if (user) users.set(request, user);
      },
      async handler(request, reply) {
        const input = {
          body: request.body,
          params: request.params,
          user: users.get(request),
          headers: request.headers,
          address: request.ip,
        };
        return send(reply, await handler(input as Input<N>));
      },
    });
  }

  /** An authenticated request counts against its user, any other, also one with an invalid token, against its address. */
  async #authenticateAndCount(
    name: EndpointName,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SignedInUser | undefined> {
    const { auth, rate: bucket } = endpoints[name];
    const count = (client: string) => this.#deps.limiter.count({ bucket, endpoint: name, client }, reply);
    const address = `address ${rateLimitAddress(request.ip)}`;
    if (auth === 'none') {
      await count(address);
      return undefined;
    }
    let user: SignedInUser;
    try {
      user = await this.#deps.auth.authenticate(request.headers);
    } catch (error) {
      await count(address);
      throw error;
    }
    await count(`user ${user.id}`);
    return user;
  }
}

/** Fastify validates a missing body as null; an endpoint with an optional body gets an empty object instead. */
function requestSchema({ request, requestOptional, params }: Endpoint): { body?: z.ZodType; params?: z.ZodType } {
  const body = request && requestOptional ? z.preprocess((sent) => sent ?? {}, request) : request;
  return { ...(body && { body }), ...(params && { params }) };
}

function createSender(endpoint: Endpoint): (reply: FastifyReply, response: unknown) => FastifyReply {
  const serialize = compileSerializer(endpoint.response);
  const others = new Map(
    Object.entries(endpoint.otherResponses ?? {}).map(([status, schema]) => [
      Number(status),
      compileSerializer(schema),
    ]),
  );
  return (reply, response) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    if (!(response instanceof OtherResponse)) return reply.send(serialize(response));
    const serializeOther = others.get(response.status);
    if (!serializeOther) throw new TypeError(`the endpoint has no response with status ${response.status}`);
    return reply.code(response.status).send(serializeOther(response.body));
  };
}
