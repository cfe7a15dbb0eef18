/** Creates a Fastify app with what applies to all routes: timeouts, limits, headers, errors and the request log. */
import type { IncomingMessage } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { requestBudgetMs } from '../request-budget.ts';
import { createIsTrusted, findClientAddresses } from './client-address.ts';
import { ConnectionLimiter, decideConnectionLimits, readDescriptorLimit } from './connection-limits.ts';
import { closeConnectionsWhenStopping, rejectExpectation, sendClientError } from './connections.ts';
import { sendFrameworkError, setErrorHandler } from './error-handler.ts';
import { ErrorLog } from './error-log.ts';
import { acceptJsonOnly, bodyLimitBytes } from './json-body.ts';
import { addRequestBudgets } from './request-budgets.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { readTlsCertificate } from './tls-certificate.ts';
import { handleUnknownRoutes } from './unknown-route.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const idleTimeoutMs = 75_000;

export type HttpAppDeps = {
  readonly config: Config;
  readonly logger: FastifyBaseLogger;
  readonly clock: Clock;
  /** How long the work of a request may take. */
  readonly requestBudgetMs?: number;
};

/** The caller adds routes, listens and closes. Throws `StartError` if the TLS certificate cannot be used. */
export function createHttpApp({ config, logger, clock, ...deps }: HttpAppDeps): FastifyInstance {
  // Node itself would reject a request without Host without an error body and without our headers.
  const serverOptions = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false,
  };
  const options = {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    return503OnClosing: false,
    // `findClientAddresses` follows the proxies, and leaves one address in the header.
    trustProxy: config.trustProxy !== undefined && ((_address: string, hop: number) => hop === 0),
    clientErrorHandler: sendClientError,
    frameworkErrors: sendFrameworkError,
    routerOptions: { maxParamLength: 200 },
  } satisfies FastifyServerOptions;
  const app: FastifyInstance = config.tls
    ? withoutTlsType(
        fastify({
          ...options,
          https: { ...serverOptions, handshakeTimeout: headersTimeoutMs, ...readTlsCertificate(config.tls) },
        }),
      )
    : fastify({ ...options, http: serverOptions });
  app.server.on('checkExpectation', rejectExpectation);
  const isTrusted = createIsTrusted(config.trustProxy);
  const limits = decideConnectionLimits(readDescriptorLimit());
  new ConnectionLimiter({ limits, isTrusted, isTls: config.tls !== undefined }).watch(app);
  addRequestBudgets(app, deps.requestBudgetMs ?? requestBudgetMs);
  findClientAddresses(app, isTrusted);
  app.addHook('onRequest', async (_request, reply) => setSecurityHeaders(reply));
  app.addHook('onRequest', async ({ raw }) => requireHost(raw));
  logRequests(app);
  closeConnectionsWhenStopping(app);
  setErrorHandler(app, new ErrorLog({ logger, clock }));
  handleUnknownRoutes(app);
  acceptJsonOnly(app);
  app.setValidatorCompiler(validatorCompiler);
  return app;
}

/** RFC 9112, section 3.2. Throws `ApiError` VALIDATION_ERROR. */
function requireHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw new ApiError('VALIDATION_ERROR', 'The Host header is required.');
  }
}

/** Logs one line per request, with nothing that a client sent: the route's pattern instead of the URL, for example. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
      },
      'request',
    );
  });
}

/** Routes are the same with and without TLS; the types differ by the server class only. */
function withoutTlsType(app: unknown): FastifyInstance {
  return app as FastifyInstance;
}
