/**
 * Makes this checkout ready to run, and says nothing on stdout, so that `npm run -s demo -- --json` prints only JSON.
 * Plain JavaScript without dependencies, because it runs before any are installed.
 *
 *   node deploy/prepare.mjs             installs the packages of the lock file, unless they are installed
 *   node deploy/prepare.mjs --build     also builds dist/ when it is missing or older than the sources
 *   node deploy/prepare.mjs --tests     also makes sure that the tests have git and a real Redis server, and bubblewrap
 *                                       shellcheck, openssl, Chromium and Prometheus if they are available
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const MIN_NODE = [20, 19];
const SOURCES = ['services', 'shared', 'deploy/build.mjs', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];

/** @param {string} message */
function say(message) {
  process.stderr.write(`fixpoint: ${message}\n`);
}

/** @param {string} message @returns {never} */
function stop(message) {
  say(message);
  process.exit(1);
}

/** @param {string} command @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, env, stdio: ['ignore', 2, 2] });
  if (status !== 0) stop(`"${command} ${args.join(' ')}" failed${error === undefined ? '' : `: ${error.message}`}`);
}

/** Time of the newest file below a path in milliseconds, or 0 when there is none. @param {string} path @returns {number} */
function newestChange(path) {
  if (!existsSync(path)) return 0;
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestChange(join(path, name))));
}

/** @param {string} command */
function isOnPath(command) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, command)));
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [minMajor, minMinor] = MIN_NODE;
  if (major > minMajor || (major === minMajor && minor >= minMinor)) return;
  stop(`this is Node ${process.versions.node}; Node ${MIN_NODE.join('.')} or newer is required`);
}

/** @param {string} file @returns {Record<string, { version?: string, optional?: boolean, link?: boolean }>} */
function readLock(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages ?? {};
  } catch {
    return {};
  }
}

/** Compares what is installed, not file times: a fresh checkout has new times and may have the right packages. */
function packagesAreThere() {
  // npm writes this file last, so a broken installation is repaired.
  const installed = readLock(join('node_modules', '.package-lock.json'));
  const wanted = Object.entries(readLock('package-lock.json')).filter(([path]) => path !== '');
  return (
    wanted.length > 0 &&
    wanted.every(([path, { version, optional }]) =>
      installed[path] === undefined ? optional === true : installed[path].version === version,
    )
  );
}

function ensurePackages() {
  if (packagesAreThere()) return;
  say('installing packages; this takes about half a minute');
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

function ensureBuild() {
  const built = newestChange(join(ROOT, 'dist', '.built'));
  if (built > 0 && built >= Math.max(...SOURCES.map((name) => newestChange(join(ROOT, name))))) return;
  say('building');
  run(process.execPath, ['deploy/build.mjs']);
}

/** @returns {string[]} Debian packages of the tools that the tests need but that are not installed */
function missingTools() {
  const missing = [];
  if (!isOnPath('redis-server') && !isOnPath('valkey-server')) missing.push('redis-server');
  if (!isOnPath('git')) missing.push('git');
  return missing;
}

const mayInstall = () => process.getuid?.() === 0 && isOnPath('apt-get');

/** Debian asks this program before a package starts a service. */
const POLICY = '/usr/sbin/policy-rc.d';

/** The tests start their own Redis and Prometheus. Until this process ends, an installed package starts no service. */
function startNoServices() {
  try {
    writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { flag: 'wx', mode: 0o755 });
  } catch {
    // Somebody has a policy already, or this is no Debian.
    return;
  }
  process.once('exit', () => rmSync(POLICY, { force: true }));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
}

/** @param {readonly string[]} packages */
function install(packages) {
  startNoServices();
  run('apt-get', ['-qq', 'update']);
  run('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', ...packages], {
    ...process.env,
    DEBIAN_FRONTEND: 'noninteractive',
  });
}

/** Tools of some tests, which are skipped and report that if the tool is missing. */
const OFFERED = [
  { program: 'bwrap', tool: 'bubblewrap', tests: 'the tests of the cage' },
  { program: 'shellcheck', tool: 'shellcheck', tests: 'some tests of analyzers' },
  { program: 'openssl', tool: 'openssl', tests: 'the tests of private certificate authorities' },
  { program: 'chromium', tool: 'chromium', tests: 'the tests of pages in a browser' },
  { program: 'promtool', tool: 'prometheus', tests: 'the tests of alert rules and of the dashboard' },
];

/** @param {typeof OFFERED[number]} offered */
function offer({ program, tool, tests }) {
  if (isOnPath(program) || process.platform !== 'linux') return;
  if (!mayInstall()) {
    say(`${tool} is not installed: ${tests} will be skipped`);
    return;
  }
  say(`installing ${tool}`);
  startNoServices();
  const options = { cwd: ROOT, stdio: /** @type {['ignore', 2, 2]} */ (['ignore', 2, 2]) };
  if (spawnSync('apt-get', ['-qq', 'update'], options).status !== 0) return;
  spawnSync('apt-get', ['-qq', '-y', '--no-install-recommends', 'install', tool], options);
}

function ensureTestTools() {
  const missing = missingTools();
  if (missing.length === 0) return;
  if (!mayInstall()) {
    stop(`the tests need ${missing.join(' and ')} on PATH (valkey-server does as well); please install it first`);
  }
  say(`installing ${missing.join(' and ')}`);
  install(missing);
  if (missingTools().length > 0) stop(`${missingTools().join(' and ')} is still missing after the installation`);
}

checkNode();
ensurePackages();
if (process.argv.includes('--build')) ensureBuild();
if (process.argv.includes('--tests')) {
  ensureTestTools();
  OFFERED.forEach(offer);
}
