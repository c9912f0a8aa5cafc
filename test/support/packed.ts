/** The package that `npm pack` makes of this checkout, and a folder where npm has installed it: once for a whole worker. */
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { builtScript, ROOT } from './built.ts';

const run = promisify(execFile);

export type Packed = {
  readonly tarball: string;
  /** What `npm install --global` had as its prefix. */
  readonly prefix: string;
  /** The package in that prefix. */
  readonly folder: string;
  /** What npm printed on either stream while it installed. */
  readonly said: string;
};

let tarball: Promise<string> | null = null;
let installed: Promise<Packed> | null = null;

const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-packed-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
};

const pack = async (): Promise<string> => {
  await builtScript('services/cli/main.js');
  const folder = await makeFolder();
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: ROOT });
  return path.join(folder, stdout.trim());
};

const install = async (): Promise<Packed> => {
  const file = await packedTarball();
  const top = await makeFolder();
  const prefix = path.join(top, 'prefix');
  const empty = path.join(top, 'empty');
  await mkdir(empty);
  const how = ['--global', '--prefix', prefix, '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'];
  const { stdout, stderr } = await run('npm', ['install', ...how, file], { cwd: empty });
  return { tarball: file, prefix, folder: path.join(prefix, 'lib/node_modules/fixpoint'), said: stdout + stderr };
};

export const packedTarball = async (): Promise<string> => {
  tarball ??= pack();
  return tarball;
};

export const installedPackage = async (): Promise<Packed> => {
  installed ??= install();
  return installed;
};
