/**
 * Row 21 of the matrix: everything that clients do, concurrently and for long. No errors, bounded memory, and a bounded
 * log.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { stringIn, type TestResponse } from '../harness/test-client.ts';
import { activate, issueLicense, numberedDeviceId, subscriber } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';

const row = 21;
/** What the server may use: Node ends it once its heap is full. */
const [maxHeapMb, maxResidentMb] = [128, 400];
const server = sharedHttpServer({ NODE_OPTIONS: `--max-old-space-size=${maxHeapMb}` });
/** Requests after which a leak of a request's size shows, also on a machine that is slow. */
const leastAnswered = 3000;
/** No more than the rate limits would allow one user, so that the load itself does not make the database grow. */
const users = 10;

function residentMb(): number {
  const status = readFileSync(`/proc/${server.process.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

describe.skipIf(process.platform !== 'linux')('a mixed load', () => {
  it('causes no errors, and fills neither memory nor log', { timeout: rowTimeout() }, async () => {
    const wrong: string[] = [];
    let answered = 0;
    const expectOk = (response: TestResponse): TestResponse => {
      answered += 1;
      if (response.status !== 200 && wrong.length < 10) wrong.push(`${response.status} ${response.text}`);
      return response;
    };
    /** Sets up a user; returns the work of that user. */
    const prepare = async (index: number) => {
      const { email, password } = await subscriber(server, 'advanced');
      const { key } = await issueLicense(server, '--email', email, '--max-activations', '3');
      const signedIn = await server.call('login', { body: { email, password } });
      let token = stringIn(signedIn.body, 'access_token');
      let refreshToken = stringIn(signedIn.body, 'refresh_token');
      const api_key = stringIn((await server.call('apiKey', { token })).body, 'api_key');
      return async (turn: number) => {
        const device_id = numberedDeviceId(index * 100 + (turn % 3));
        const { response, activationId } = await activate(server, { token }, key, device_id);
        expectOk(response);
        expectOk(await server.call('heartbeat', { token, body: { device_id } }));
        expectOk(await server.call('lease', { token, body: { device_id } }));
        expectOk(await server.call('validateLicense', { token, body: { license_key: key, device_id } }));
        for (let more = 0; more < 20; more++) expectOk(await server.call('validateApiKey', { body: { api_key } }));
        expectOk(await server.call('subscriptionStatus', { token }));
        const { body } = expectOk(await server.call('refresh', { body: { refresh_token: refreshToken } }));
        token = stringIn(body, 'access_token');
        refreshToken = stringIn(body, 'refresh_token');
        if (turn % 50 === 49) expectOk(await server.call('exportAccount', { token }));
        // A released device reserves its place until its lease ends, so only one that returns immediately may be
        // released.
        if (turn % 10 === 9) expectOk(await server.call('releaseActivation', { token, at: activationId }));
      };
    };
    const works: ((turn: number) => Promise<void>)[] = [];
    while (works.length < users) works.push(await prepare(works.length));
    // What the users need to begin with takes long on a busy machine, and is no part of the load.
    const untilMs = performance.now() + amount(row) * 1000;
    const isOver = () => performance.now() > untilMs && answered > leastAnswered;
    const repeat = async (work: (turn: number) => Promise<void>) => {
      for (let turn = 0; !isOver(); turn++) await work(turn);
    };
    const memory: number[] = [];
    const watch = async () => {
      while (!isOver()) {
        memory.push(residentMb());
        await sleep(500);
      }
    };
    await Promise.all([watch(), ...works.map(repeat)]);
    expect(wrong).toStrictEqual([]);
    const mostMb = Math.round(Math.max(...memory));
    expect(mostMb).toBeLessThan(maxResidentMb);
    const logBytes = server.process.stderr().length;
    expect(logBytes).toBeLessThan(20_000 + amount(row) * 100);
    reportFigures(row, {
      amount: `${amount(row)} s`,
      figures: { answered, 'MB at most': mostMb, 'bytes of log': logBytes },
    });
  });
});
