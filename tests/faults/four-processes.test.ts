/**
 * Row 5 of the matrix: four processes on one database each get 64 requests at once for a license for five devices.
 * Transport: HTTP.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { limitsOff } from '../harness/environment.ts';
import { HttpServer } from '../harness/http-server.ts';
import { startServer } from '../harness/start-server.ts';
import { createAdmin } from '../harness/test-admin.ts';
import { activateInTime, issueLicense, newDeviceId, signUp } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';

const row = 5;
const processes = 4;
const devicesOfEach = 64;
/** Licenses per account, as many as a customer may have: long device lists are not the subject here. */
const licensesOfAccount = 10;

describe.skipIf(process.platform === 'win32')(
  'four processes that each get 64 requests for a license for five devices',
  () => {
    it('give exactly five devices a place, and a device that asks all of them one activation id', {
      timeout: rowTimeout(),
    }, async () => {
      const admin = createAdmin();
      const settings = { ...limitsOff, ...admin.settings };
      const workers = new HttpServer(await startServer(settings, { args: ['--workers', String(processes)] }), admin);
      onTestFinished(async () => void (await workers.stop()));
      let user = await signUp(workers);
      for (let turn = 0; turn < amount(row); turn++) {
        if (turn % licensesOfAccount === 0) user = await signUp(workers);
        const { key } = await issueLicense(workers, '--email', user.email, '--max-activations', '5');
        const devices = Array.from({ length: devicesOfEach }, newDeviceId);
        const requests = Array.from({ length: processes }, () => devices).flat();
        const all = await Promise.all(requests.map((device) => activateInTime(workers, user, key, device)));
        const given = all.filter(({ response }) => response.status === 200);
        const refused = all.filter(({ response }) => response.body.code === 'MAX_ACTIVATIONS_REACHED');
        const places = { devices: new Set(given.map(({ deviceId }) => deviceId)).size, refused: refused.length };
        // A device that has a place gets it each time it asks.
        expect(places, `license ${turn}`).toStrictEqual({ devices: 5, refused: (devicesOfEach - 5) * processes });
        expect(new Set(given.map(({ activationId }) => activationId)).size, `license ${turn}`).toBe(5);
      }
      reportFigures(row, {
        amount: `${amount(row)} licenses`,
        figures: { processes, requests: amount(row) * processes * devicesOfEach, places: amount(row) * 5 },
      });
    });
  },
);
