/** A Fastify instance with everything that holds for all routes: time-outs, limits, headers, errors and the request log. */
import type { IncomingMessage } from 'node:http';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { Config } from '../config.ts';
import { ApiError } from '../errors.ts';
import { closeConnectionsWhenStopping } from './close-connections.ts';
import { rejectExpectation, sendClientError } from './connections.ts';
import { sendFrameworkError, setErrorHandler } from './error-handler.ts';
import { acceptJsonOnly, bodyLimitBytes } from './json-body.ts';
import { logRequests } from './request-log.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { readTlsCertificate } from './tls-certificate.ts';
import { handleUnknownRoutes } from './unknown-route.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const idleTimeoutMs = 75_000;

export function createHttpApp(config: Config, logger: FastifyBaseLogger): FastifyInstance {
  // Node would refuse a request without Host with neither the envelope nor our headers.
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
    trustProxy: trustedProxies(config),
    clientErrorHandler: sendClientError,
    frameworkErrors: sendFrameworkError,
    routerOptions: { maxParamLength: 200 },
  } satisfies FastifyServerOptions;
  const app: FastifyInstance = config.tls
    ? asPlain(fastify({ ...options, https: { ...serverOptions, ...readTlsCertificate(config.tls) } }))
    : fastify({ ...options, http: serverOptions });
  app.server.on('checkExpectation', rejectExpectation);
  app.addHook('onRequest', async (_request, reply) => setSecurityHeaders(reply));
  app.addHook('onRequest', async ({ raw }) => requireHost(raw));
  logRequests(app);
  closeConnectionsWhenStopping(app);
  setErrorHandler(app);
  handleUnknownRoutes(app);
  acceptJsonOnly(app);
  app.setValidatorCompiler(validatorCompiler);
  return app;
}

/** Hops are counted from the connection itself, which is hop 0. */
function trustedProxies({ trustProxy }: Config): ((address: string, hop: number) => boolean) | string[] | false {
  if (trustProxy === undefined) return false;
  return typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : [...trustProxy];
}

/** RFC 9112 §3.2. Throws `ApiError` VALIDATION_ERROR. */
function requireHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw new ApiError('VALIDATION_ERROR', 'The request has no Host header. Send one.');
  }
}

/** Routes are the same on both; only the type of the server below differs. */
function asPlain(app: unknown): FastifyInstance {
  return app as FastifyInstance;
}
