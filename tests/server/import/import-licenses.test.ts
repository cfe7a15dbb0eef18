/** `import licenses`: keys of another system continue to work, whatever their format. */
import { describe, expect, it } from 'vitest';
import { startHttpServer } from '../../harness/http-server.ts';
import { invalid, sentence, wholeNumber } from '../../harness/response-shapes.ts';
import { activate, newDeviceId, signUp } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';
import { importLines } from './import-files.ts';

const header = 'license_key,email,plan,status,max_activations,expires_at';
const ours = 'SVC-0123-4567-89AB-CDEQ';

/** Keys of other systems, with their previews. */
const foreignKeys = [
  ['3f5ff1c0-9f9c-4b57-8a4f-2f5f4f0a9d11', '3f5f...9d11'],
  ['AB12-CD34-EF56-GH78-IJ90', 'AB12...IJ90'],
  [`key/${'eyJhIjoxfQ'.repeat(60)}.sIgNaTuRe_-==`, 'key/..._-=='],
  ['abc', '...'],
  // Our format, without our check character.
  [ours, 'SVC-0123...CDEQ'],
  ['ключ № 42', 'к...2'],
] as const;

type Listed = Readonly<Record<string, unknown>>;

describeEachDatabase((database) => {
  describe('imported licenses', () => {
    it('validate and activate with their keys, whatever the format', async () => {
      const admin = await database.createAdmin();
      const server = await startHttpServer(admin);
      const { email, token } = await signUp(server);
      const device_id = newDeviceId();
      const validate = async (license_key: string) =>
        (await server.call('validateLicense', { token, body: { license_key, device_id } })).body;
      for (const [key] of foreignKeys) expect(await validate(key)).toEqual(invalid('LICENSE_NOT_FOUND'));
      const lines = [header, ...foreignKeys.map(([key]) => `"${key}",${email},,,,`)];
      expect(await importLines(admin, 'licenses', lines)).toMatchObject({ imported: foreignKeys.length, refused: [] });
      for (const [key] of foreignKeys) {
        expect(await validate(`  ${key} `)).toMatchObject({ valid: true, plan: 'standard', max_activations: 3 });
        expect((await activate(server, { token }, key)).response.body).toMatchObject({ success: true, activations: 1 });
        expect(await validate(`${key}x`)).toEqual(invalid('LICENSE_NOT_FOUND'));
      }
      expect(await validate(ours.toLowerCase().replaceAll('-', '')), 'one of our form').toMatchObject({ valid: true });
      const listed = await admin.json<Listed[]>(['license', 'list', '--email', email]);
      expect(listed.map(({ key_preview }) => key_preview)).toEqual(foreignKeys.map(([, preview]) => preview));
    });

    it('get the defaults of `license issue` for empty fields, and otherwise the values of the row', async () => {
      const admin = await database.createAdmin();
      await admin.createUser('ada@lab.org');
      await admin.createUser('bob@lab.org');
      await admin.json(['subscription', 'set', 'bob@lab.org', '--plan', 'advanced', '--status', 'canceled']);
      const lines = [
        header,
        'k-1,ada@lab.org,,,,',
        'k-2,BOB@lab.org,,,,',
        'k-3,,free,inactive,7,2020-01-31',
        'k-4,,,revoked,0,',
      ];
      lines.push('k-5,,,,,2099-01-31T12:00:00+02:00', 'k-6,,,expired,,');
      expect(await importLines(admin, 'licenses', lines)).toEqual({ rows: 6, imported: 6, refused: [] });
      const listed = await admin.json<Listed[]>(['license', 'list']);
      const brief = ({ email, plan, status, max_activations, expires_at }: Listed) =>
        [email, plan, status, max_activations, expires_at].join(' ').trim();
      expect(new Set(listed.map(brief))).toEqual(
        new Set([
          'ada@lab.org standard active 3',
          'bob@lab.org advanced active 10',
          'free expired 7 2020-01-31T00:00:00.000Z',
          'standard revoked 0',
          'standard active 3 2099-01-31T10:00:00.000Z',
          'standard expired 3',
        ]),
      );
      for (const license of listed)
        expect(license).toMatchObject({ with_subscription: false, activations: wholeNumber });
    });

    it('are imported once, and each invalid row is refused', async () => {
      const admin = await database.createAdmin();
      await admin.createUser('ada@lab.org');
      const { license_key } = await admin.json<{ license_key: string }>(['license', 'issue']);
      const lines = [
        header,
        'k-1,,,,,',
        'k-1,,,,,',
        ',,,,,',
        'k-2,nobody@lab.org,,,,',
        'k-3,,golden,,,',
        'k-4,,,broken,,',
      ];
      lines.push('k-5,,,,-1,', 'k-6,,,,,tomorrow', `${license_key.toLowerCase()},,,,,`, 'k-7,ada@lab.org,,,,');
      const refused = [2, 3, 4, 5, 6, 7, 8, 9].map((row) => ({ row, reason: sentence }));
      const dry = await importLines(admin, 'licenses', lines, '--dry-run');
      expect(dry).toEqual({ rows: 10, imported: 2, refused });
      expect(await importLines(admin, 'licenses', lines)).toEqual(dry);
      expect(await importLines(admin, 'licenses', lines)).toMatchObject({ rows: 10, imported: 0 });
      expect(await admin.json(['license', 'list'])).toHaveLength(3);
    });
  });
});
