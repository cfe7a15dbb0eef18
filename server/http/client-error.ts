/** Answers what the HTTP parser itself refuses, before there is a request. */
import type { Socket } from 'node:net';

type ParserError = Error & { code?: string };

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Writes a status line, for a plain bad request with the envelope, and closes the connection. */
export function answerClientError(error: ParserError, socket: Socket): void {
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
    'X-Content-Type-Options: nosniff',
    "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
    'Cache-Control: no-store',
    ...(body ? ['Content-Type: application/json; charset=utf-8'] : []),
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
