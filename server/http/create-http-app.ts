/** A Fastify instance with everything that holds for all routes: time-outs, limits, headers, errors and the request log. */
import { readFileSync } from 'node:fs';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { validatorCompiler } from 'fastify-type-provider-zod';
import type { Config } from '../config.ts';
import { answerClientError } from './client-error.ts';
import { closeConnectionsWhenStopping } from './close-connections.ts';
import { sendFrameworkError, setErrorHandler } from './error-handler.ts';
import { acceptJsonOnly, bodyLimitBytes } from './json-body.ts';
import { logRequests } from './request-log.ts';
import { setSecurityHeaders } from './security-headers.ts';
import { answerUnknownAddresses } from './unknown-address.ts';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const idleTimeoutMs = 75_000;

export function createHttpApp(config: Config, logger: FastifyBaseLogger): FastifyInstance {
  const serverOptions = { headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 5_000 };
  const options = {
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    return503OnClosing: false,
    trustProxy: trustedProxies(config),
    clientErrorHandler: answerClientError,
    frameworkErrors: sendFrameworkError,
    routerOptions: { maxParamLength: 200 },
  } satisfies FastifyServerOptions;
  const app: FastifyInstance = config.tls
    ? asPlain(fastify({ ...options, https: { ...serverOptions, ...readCertificate(config.tls) } }))
    : fastify({ ...options, http: serverOptions });
  app.addHook('onRequest', async (_request, reply) => setSecurityHeaders(reply));
  logRequests(app);
  closeConnectionsWhenStopping(app);
  setErrorHandler(app);
  answerUnknownAddresses(app);
  acceptJsonOnly(app);
  app.setValidatorCompiler(validatorCompiler);
  return app;
}

/** Hops are counted from the connection itself, which is hop 0. */
function trustedProxies({ trustProxy }: Config): ((address: string, hop: number) => boolean) | string[] | false {
  if (trustProxy === undefined) return false;
  return typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : [...trustProxy];
}

function readCertificate({ certFile, keyFile }: NonNullable<Config['tls']>) {
  return { cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: 'TLSv1.2' as const };
}

/** Routes are the same on both; only the type of the server below differs. */
function asPlain(app: unknown): FastifyInstance {
  return app as FastifyInstance;
}
