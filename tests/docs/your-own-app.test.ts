/** Runs the guide for app makers as written: its files and commands, in an empty folder and one shell. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { childEnvironment, repository } from '../harness/environment.ts';
import { freePort } from '../harness/free-port.ts';
import { temporaryFolder } from '../harness/test-admin.ts';

const guide = readFileSync(join(import.meta.dirname, '../../server/docs/your-own-app.md'), 'utf8');

type Block = { readonly language: string; readonly file: string; readonly code: string };

function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w+) ?(\S*)\n(.*?)^```$/gms)].map(([, language = '', file = '', code = '']) => ({
    language,
    file,
    code,
  }));
}

it('the guide for app makers leads from an empty folder to an enabled feature', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  symlinkSync(repository, join(folder, 'latchkey'), 'junction');
  // Another server may be running on this machine. Nothing else in the guide is changed.
  const ports = { '8470': await freePort(), '2525': await freePort() };
  const withPorts = (code: string) =>
    Object.entries(ports).reduce((changed, [port, free]) => changed.replaceAll(port, `${free}`), code);
  const blocks = blocksOf(guide);
  for (const { file, code } of blocks.filter((block) => block.file !== '')) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), withPorts(code));
  }
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => withPorts(code));
  expect(commands.length).toBeGreaterThan(6);
  const shell = spawn('bash', ['-e', '-c', commands.join('\n')], {
    cwd: folder,
    env: childEnvironment({ LATCHKEY_PORT: `${ports['8470']}` }),
    // Its own process group, so that everything a failed command leaves behind is stopped.
    detached: true,
  });
  try {
    const reading = Promise.all([text(shell.stdout), text(shell.stderr)]);
    await once(shell, 'exit');
    // Processes still running after a failed command would keep the output open.
    stopGroup(shell.pid);
    const [printed, errors] = await reading;
    expect(shell.exitCode, `${printed}\n${errors}`).toBe(0);
    expect(printed).toContain('pdf_reports is on\ncsv_export is off: plan\n');
    expect(printed).toMatch(/SVC-\w{4}\.\.\.\w{4} +pro +active +1 of 2 +ada@example\.org/);
    expect(printed).toMatch(/lose\n +pdf reports +1/);
    expect(readFileSync(join(folder, 'features.d.ts'), 'utf8')).toContain('pdf_reports: true;');
  } finally {
    stopGroup(shell.pid);
  }
});

function stopGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing was left running.
  }
}
