/** What a publisher declares in package.json: checked by the build, and before the app is packaged. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAppDeclaration } from '../../electron/app-declaration.ts';
import { findDefaultServer } from '../../electron/default-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

const packageOf = (latchkey: unknown) => JSON.stringify({ name: 'app', latchkey });

describe('the declaration in package.json', () => {
  it('is optional, and contains the server’s address in canonical form', () => {
    expect(readAppDeclaration('{}')).toMatchObject({ links: {}, scheme: 'latchkey', leaseKeys: [], updateKeys: [] });
    expect(readAppDeclaration(packageOf({ server: 'Licenses.Example.com/' }))).toMatchObject({
      server: 'https://licenses.example.com',
      links: {},
      scheme: 'latchkey',
    });
  });

  it.each([
    { what: 'http', latchkey: { server: 'http://licenses.example.com' }, field: 'latchkey.server' },
    {
      what: 'a server on the machine of the user',
      latchkey: { server: 'http://127.0.0.1:8470' },
      field: 'latchkey.server',
    },
    { what: 'credentials', latchkey: { server: 'https://a:b@licenses.example.com' }, field: 'latchkey.server' },
    { what: 'no text', latchkey: { server: 7 }, field: 'latchkey.server' },
    { what: 'a misspelled field', latchkey: { sever: 'https://licenses.example.com' }, field: 'latchkey' },
    { what: 'the scheme of the web', latchkey: { scheme: 'https' }, field: 'latchkey.scheme' },
    { what: 'no scheme', latchkey: { scheme: 'My App' }, field: 'latchkey.scheme' },
    {
      what: 'a link that is not https',
      latchkey: { links: { help: 'http://example.com' } },
      field: 'latchkey.links.help',
    },
  ])('fails the build and names the field: $what', ({ latchkey, field }) => {
    expect(() => readAppDeclaration(packageOf(latchkey))).toThrow(`package.json is ill-formed. ${field}: `);
  });
});

describe('npm run package', () => {
  const script = join(import.meta.dirname, '../../electron/require-server.ts');

  function run(latchkey: unknown, environment: NodeJS.ProcessEnv = {}, files: Readonly<Record<string, string>> = {}) {
    const folder = temporaryFolder();
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    writeFileSync(join(folder, 'package.json'), packageOf(latchkey));
    const env = { PATH: process.env.PATH, ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: folder, env, encoding: 'utf8' });
    return { status, stdout, stderr };
  }

  it('fails without a server, and says what to do', () => {
    const { status, stderr } = run({});
    expect(status).toBe(1);
    expect(stderr).toContain('"latchkey": {"server": "https://…"}');
    expect(stderr).toContain('LATCHKEY_ASK_SERVER=1');
  });

  it('continues with a server, or for an app that asks for one', () => {
    const silent = { status: 0, stdout: '', stderr: '' };
    expect(run({ server: 'https://licenses.example.com' })).toEqual(silent);
    expect(run({}, { LATCHKEY_ASK_SERVER: '1' })).toEqual(silent);
  });

  it.each([
    ['register', 'electron-builder.yml', 'schemes: [my-app]'],
    ['leave behind', 'electron/packaging/windows/installer.nsh', 'LINK_SCHEME "my-app"'],
  ])('fails if the installers would %s a different scheme than the app’s', (_, file, setting) => {
    const latchkey = { server: 'https://licenses.example.com', scheme: 'my-app' };
    const other = setting.replace('my-app', 'latchkey');
    const { status, stderr } = run(latchkey, {}, { [file]: `  ${other}\n` });
    expect(status).toBe(1);
    expect(stderr).toContain(`set ${setting} in ${file}`);
    expect(run(latchkey, {}, { [file]: `  ${setting}\n` }).status).toBe(0);
  });

  it('fails if the app gives Windows another id than its installers do', () => {
    const latchkey = { server: 'https://licenses.example.com' };
    const filesWith = (id: string) => ({
      'electron-builder.yml': 'appId: com.example.app\nprotocols: { schemes: [latchkey] }\n',
      'electron/main.ts': `app.setAppUserModelId('${id}');\n`,
    });
    const { status, stderr } = run(latchkey, {}, filesWith('app.latchkey.desktop'));
    expect(status).toBe(1);
    expect(stderr).toContain("set setAppUserModelId('com.example.app') in electron/main.ts");
    expect(run(latchkey, {}, filesWith('com.example.app')).status).toBe(0);
  });

  it('fails with an ill-formed server, even for an app that asks for one', () => {
    const { status, stderr } = run({ server: 'http://localhost' }, { LATCHKEY_ASK_SERVER: '1' });
    expect(status).toBe(1);
    expect(stderr).toContain('latchkey.server: must be an https address');
  });
});

describe('the server of the app', () => {
  const declared = 'https://licenses.example.com';
  const local = 'http://127.0.0.1:8470';

  it.each([
    { what: 'the declared one', input: { declared, isPackaged: true }, address: declared },
    { what: 'asked for by a packaged app without one', input: { isPackaged: true }, address: null },
    { what: 'that of npm start where the app is not packaged', input: { isPackaged: false }, address: local },
    {
      what: 'asked for on demand',
      input: { isPackaged: false, environment: { LATCHKEY_ASK_SERVER: '1' } },
      address: null,
    },
    {
      what: 'the one of the environment',
      input: { declared, isPackaged: true, environment: { LATCHKEY_SERVER_URL: 'https://other.example.com/' } },
      address: 'https://other.example.com',
    },
  ])('is $what', ({ input, address }) => {
    expect(findDefaultServer({ declared: undefined, environment: {}, ...input })).toEqual({ address });
  });

  it('is not taken from the environment if that address is not allowed', () => {
    const environment = { LATCHKEY_SERVER_URL: 'http://licenses.example.com' };
    expect(findDefaultServer({ declared, isPackaged: true, environment })).toBe('invalid');
  });
});
