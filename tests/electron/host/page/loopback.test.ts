/**
 * A name below localhost may lead a browser to either loopback address, so no other program may use the port on one of
 * them.
 */
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { closeListeners, listenOnLoopback } from '../../../../electron/host/page/loopback.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

it.runIf(hasIpv6)('a port that another program uses only on IPv6 counts as taken', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '::1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const server = createHttpServer();
  await expect(listenOnLoopback(server, port)).rejects.toThrow('EADDRINUSE');
  expect(server.listening).toBe(false);
});

it('a free port is found, and is free again after closing', async () => {
  const listeners = await listenOnLoopback(createHttpServer(), 0);
  expect(listeners.port).toBeGreaterThan(0);
  expect(listeners.ipv6 !== null).toBe(hasIpv6);
  closeListeners(listeners);
  const again = await listenOnLoopback(createHttpServer(), listeners.port);
  expect(again.port).toBe(listeners.port);
  closeListeners(again);
});
