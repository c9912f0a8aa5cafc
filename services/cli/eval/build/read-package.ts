/** The files of one version of an npm package. `npm pack` runs no script of the package. */
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../../../shared/workspace/process/command.ts';
import { isProgram } from '../../../../shared/workspace/process/programs.ts';
import { childEnvironment } from '../../../../shared/workspace/process/child-environment.ts';
import { EvalBuildError } from './build-error.ts';
import type { ImportedFile } from './import-stream.ts';

export type PackagePlace = {
  readonly scratchFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

const PACK_MS = 2 * 60_000;
const MAX_FILES = 5_000;
const MAX_BYTES = 64 * 1024 * 1024;
const ATTEMPTS = 2;

/** @throws EvalBuildError */
export const readPackage = async (
  { name, version }: { readonly name: string; readonly version: string },
  { scratchFolder, env }: PackagePlace,
  signal: AbortSignal,
): Promise<readonly ImportedFile[]> => {
  const folder = await mkdtemp(path.join(scratchFolder, 'package-'));
  const running = { folder, env: childEnvironment(env) };
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder, '--', `${name}@${version}`];
  for (let attempt = 1; !(await run('npm', pack, running, signal)); attempt += 1)
    if (attempt >= ATTEMPTS) throw new EvalBuildError(`npm pack ${name}@${version} failed`);
  const archive = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (archive === undefined) throw new EvalBuildError(`npm pack ${name}@${version} wrote no archive`);
  const unpack = ['-xzf', path.join(folder, archive), '-C', folder, '--no-same-owner', '--no-same-permissions'];
  if (!(await run('tar', unpack, running, signal)))
    throw new EvalBuildError(`the archive of ${name}@${version} cannot be unpacked`);
  return readUnpacked(folder).catch((cause: unknown) => {
    if (cause instanceof EvalBuildError) throw cause;
    throw new EvalBuildError(`the files of ${name}@${version} cannot be read`, cause);
  });
};

type Running = { readonly folder: string; readonly env: Record<string, string> };

const run = async (
  name: string,
  args: readonly string[],
  { folder, env }: Running,
  signal: AbortSignal,
): Promise<boolean> => {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((each) => path.isAbsolute(each));
  const file = folders.map((each) => path.join(each, name)).find(isProgram);
  if (file === undefined) throw new EvalBuildError(`${name} is not installed, or not on PATH`);
  const spec = { file, args, env, cwd: folder, timeoutMs: PACK_MS, maxStdoutBytes: 1024 * 1024 };
  return (await runCommand(spec, signal)).exitCode === 0;
};

/** The archive has one folder, usually `package`. Links are left out. */
const readUnpacked = async (folder: string): Promise<readonly ImportedFile[]> => {
  const top = (await readdir(folder, { withFileTypes: true })).find((entry) => entry.isDirectory());
  if (top === undefined) throw new EvalBuildError('the archive of the package is empty');
  const root = path.join(folder, top.name);
  const entries = await readdir(root, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  if (files.length > MAX_FILES) throw new EvalBuildError(`the package has more than ${MAX_FILES} files`);
  let bytes = 0;
  const read: ImportedFile[] = [];
  for (const file of files.toSorted()) {
    bytes += (await stat(file)).size;
    if (bytes > MAX_BYTES) throw new EvalBuildError(`the package is larger than ${MAX_BYTES} bytes`);
    read.push({ path: path.relative(root, file), before: null, after: await readFile(file) });
  }
  return read;
};
