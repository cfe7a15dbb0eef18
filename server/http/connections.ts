/** Answers what Node itself refuses, before there is a request. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { securityHeaders } from './security-headers.ts';

type ParserError = Error & { code?: string };

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Writes a status line, for a plain bad request with the envelope, and closes the connection. */
export function sendClientError(error: ParserError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = refusals[error.code ?? ''];
  const body = status
    ? ''
    : JSON.stringify({
        error: 'The request is not valid HTTP/1.1. Check its first line and headers.',
        code: 'VALIDATION_ERROR',
      });
  const lines = [
    `HTTP/1.1 ${status ?? '400 Bad Request'}`,
    'Connection: close',
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    ...(body ? ['Content-Type: application/json; charset=utf-8'] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Answers an `Expect` that is not `100-continue`, which Node would do without the headers of every answer. */
export function rejectExpectation(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(417, { ...securityHeaders, 'Content-Length': 0 }).end();
}
