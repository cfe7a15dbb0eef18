/**
 * `npm run sbom`: writes a CycloneDX document of the shipped packages into release/, and prints its path.
 *
 * `npm sbom --omit dev` would omit shipped packages: those that are bundled, and those that a development dependency
 * also needs, such as tar and pg-protocol. So npm describes everything in package-lock.json, and the rest is removed.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readShippedPackages, repository } from '../../electron/release/shipped-packages.ts';

type Component = { readonly 'bom-ref': string; readonly name: string; readonly properties: unknown };
type Dependency = { readonly ref: string; readonly dependsOn: readonly string[] };
type Sbom = {
  readonly metadata: { readonly component: Component & { readonly version: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
};

/** Creates the SBOM without the network or node_modules. */
export function createSbom(): Sbom {
  const npm = spawnSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
    cwd: repository,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) throw new Error(`npm sbom failed:\n${npm.stderr}`);
  const { metadata, components, dependencies, ...document }: Sbom = JSON.parse(npm.stdout);
  const own = metadata.component['bom-ref'];
  const refs = new Set([own, ...readShippedPackages().map(({ name, version }) => `${name}@${version}`)]);
  return {
    ...document,
    // npm names it after the folder of the checkout.
    metadata: { ...metadata, component: { ...metadata.component, name: own.slice(0, own.lastIndexOf('@')) } },
    // The only property says that npm considers a bundled package a development dependency.
    components: components.filter((each) => refs.has(each['bom-ref'])).map((each) => ({ ...each, properties: [] })),
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const sbom = createSbom();
  const file = join(repository, 'release', `latchkey-${sbom.metadata.component.version}.cdx.json`);
  mkdirSync(join(repository, 'release'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(relative(process.cwd(), file));
}
