/** Builds the package `latchkey-client` and packs it into release/; prints only the path of the tarball. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createBuilder } from 'vite';
import { z } from 'zod';
import { createFolder } from '../platform/create-folder.ts';

const repository = join(import.meta.dirname, '../..');
const built = join(repository, 'dist/package');
const release = join(repository, 'release');

await build();
writeModules();
writeManifest();
copyFileSync(join(repository, 'LICENSE'), join(built, 'LICENSE'));
copyFileSync(join(import.meta.dirname, 'README.md'), join(built, 'README.md'));
console.log(pack());

async function build(): Promise<void> {
  const builder = await createBuilder({ configFile: join(import.meta.dirname, 'vite.config.ts') });
  for (const name of ['entries', 'react', 'preload', 'types']) {
    const environment = builder.environments[name];
    if (environment !== undefined) await builder.build(environment);
  }
}

/**
 * Writes the ES modules as wrappers: code and types are in the package once, so that an app that loads both formats has
 * one of each.
 */
function writeModules(): void {
  const names = {
    index: ['createLicensingClient', 'isFeatureFlag', 'verifyLease'],
    electron: ['createElectronPlatform', 'deepLinks', 'registerCommands'],
    node: ['createNodePlatform'],
  };
  for (const [entry, exported] of Object.entries(names)) {
    const code = `import commonjs from './${entry}.cjs';\n\nexport const { ${exported.join(', ')} } = commonjs;\n`;
    writeFileSync(join(built, `${entry}.js`), code);
  }
  for (const entry of [...Object.keys(names), 'preload', 'react']) {
    writeFileSync(join(built, `${entry}.d.ts`), `export * from './${entry}.cjs';\n`);
  }
}

function writeManifest(): void {
  const text = readFileSync(join(repository, 'package.json'), 'utf8');
  const { version, license, dependencies } = z
    .object({ version: z.string(), license: z.string(), dependencies: z.object({ zod: z.string() }) })
    .parse(JSON.parse(text));
  const both = (name: string) => ({
    import: { types: `./${name}.d.ts`, default: `./${name}.js` },
    require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
  });
  const manifest = {
    name: 'latchkey-client',
    version,
    description: 'The licensing client of Latchkey, for Electron apps and Node.',
    license,
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    main: './index.cjs',
    types: './index.d.cts',
    exports: {
      '.': both('index'),
      './electron': both('electron'),
      './node': both('node'),
      './preload': { types: './preload.d.cts', default: './preload.cjs' },
      './react': both('react'),
      './package.json': './package.json',
    },
    dependencies: { zod: `^${dependencies.zod}` },
    peerDependencies: { electron: '>=30', react: '>=18' },
    peerDependenciesMeta: { electron: { optional: true }, react: { optional: true } },
  };
  writeFileSync(join(built, 'package.json'), `${JSON.stringify(manifest)}\n`);
}

/** Returns the path of the tarball. */
function pack(): string {
  createFolder(release);
  const packed = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', release], {
    cwd: built,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
  const [{ filename } = { filename: '' }] = z
    .array(z.object({ filename: z.string() }))
    .parse(JSON.parse(packed.stdout));
  return relative(process.cwd(), join(release, filename));
}
