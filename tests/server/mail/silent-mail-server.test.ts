/** A mail server that accepts connections and then says nothing. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '../../harness/http-server.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { signUp } from '../../harness/users.ts';

/** Starts a mail server that greets, accepts EHLO, and responds to nothing else. */
async function startSilent(onMail: () => void): Promise<Server> {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        if (data.toString().startsWith('EHLO')) socket.write('250 silent\r\n');
        else onMail();
      });
    socket.write('220 silent\r\n');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  return server;
}

it('does not keep a server from stopping in time, and the mail is sent after the next start', async () => {
  const { promise: hangs, resolve } = Promise.withResolvers<void>();
  const silent = await startSilent(resolve);
  const { port } = silent.address() as AddressInfo;
  const admin = createAdmin({ LATCHKEY_SMTP_URL: `smtp://127.0.0.1:${port}`, LATCHKEY_MAIL_FROM: 'a@example.com' });
  const server = await startHttpServer(admin);
  const { email } = await signUp(server);
  await server.call('forgotPassword', { body: { email } });
  await hangs;
  expect(await server.stop()).toMatchObject({ code: 0 });
  expect(server.process.stderr()).toContain('"msg":"stopped"');
  expect(await admin.json(['check'])).toMatchObject({ rows: { mails: 1 } });
});
