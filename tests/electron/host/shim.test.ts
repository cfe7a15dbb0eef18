/** The shim has every part of Electron that the main process uses: the main process compiles against it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const project = join(root, 'electron/host/tsconfig.shim.json');

/** Writes Electron's types without its modules: an ambient module would take precedence over the project's `paths`. */
function writeNamespace(): void {
  const declarations = readFileSync(join(root, 'node_modules/electron/electron.d.ts'), 'utf8');
  const folder = join(root, '.cache/shim');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'electron-namespace.d.ts'),
    declarations.replaceAll(/declare module '[^']+' \{[\s\S]*?\n\}\n/g, ''),
  );
}

function compile(tsconfig: string): string {
  writeNamespace();
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '--project', tsconfig], { cwd: root, encoding: 'utf8' });
  return stdout;
}

// Each test compiles the whole main process.
describe('the Electron shim', () => {
  it('has everything that the main process uses', () => {
    expect(compile(project)).toBe('');
  });

  it('makes a call that it lacks a compile error', () => {
    const folder = join(root, '.cache/shim/lacking');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'call.ts'), "import { app } from 'electron';\napp.showEmojiPanel();\n");
    const settings = { extends: project, include: [join(folder, 'call.ts'), join(root, '.cache/shim/*.d.ts')] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    expect(compile(join(folder, 'tsconfig.json'))).toContain("Property 'showEmojiPanel' does not exist");
  });
});
