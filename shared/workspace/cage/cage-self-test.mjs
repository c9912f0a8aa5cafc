/**
 * Runs inside a cage and tries to get out of it. Plain JavaScript without dependencies: the cage has Node's binary and
 * this text, which it gets as an argument, and nothing else of Fixpoint.
 *
 * It prints one line of JSON: what it was able to do. `check-cage.ts` says what the answers must be.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, fstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';

const CONNECT_MS = 1000;
const MAX_DESCRIPTORS = 1024;

/** @type {{ nonce: string, inside: string, canary: string, outside: string, port: number, sockets: string[], ripgrep: string }} */
const task = JSON.parse(process.argv[1] ?? '{}');

/** @param {string} path */
const reads = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** @param {string} path */
const writes = (path) => {
  try {
    writeFileSync(path, 'x');
    return true;
  } catch {
    return false;
  }
};

/** @param {string} folder */
const lists = (folder) => {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
};

/** @param {string} file @param {readonly string[]} args */
const succeeds = (file, args) => spawnSync(file, args, { stdio: 'ignore', timeout: 5000 }).status === 0;

/** @param {string} file @param {readonly string[]} args */
const saysOf = (file, args) => spawnSync(file, args, { encoding: 'utf8', timeout: 5000 }).stdout ?? '';

/** Pipes, sockets and `/dev/null` are Node's own. @param {number} fd */
const isOpenFile = (fd) => {
  try {
    const stat = fstatSync(fd);
    return stat.isFile() || stat.isDirectory() || stat.isBlockDevice();
  } catch {
    return false;
  }
};

/** Null when it got through. @param {{ port: number, host: string } | { path: string }} to @returns {Promise<string | null>} */
const whyNotReached = (to) =>
  new Promise((resolve) => {
    const socket = connect(to);
    const end = (/** @type {string | null} */ reason) => {
      socket.destroy();
      resolve(reason);
    };
    socket.once('connect', () => end(null));
    socket.once('error', (error) => end('code' in error ? String(error.code) : 'unknown'));
    setTimeout(() => end('no answer'), CONNECT_MS).unref();
  });

const account = saysOf('/usr/bin/setpriv', ['--dump']);
const network = [await whyNotReached({ port: task.port, host: '127.0.0.1' })];
for (const path of task.sockets) network.push(await whyNotReached({ path }));

process.stdout.write(
  JSON.stringify({
    nonce: task.nonce,
    seesWorkspace: reads(`/workspace/${task.inside}`) === task.nonce,
    runsRipgrep: saysOf(task.ripgrep, ['--version']).startsWith('ripgrep '),
    writesTmp: writes('/tmp/own'),
    writesWorkspace: writes('/workspace/written'),
    writesRoot: writes('/written') || writes('/dev/written'),
    writesOutside: writes(task.outside),
    readsOutside: reads(task.canary) !== null,
    readsMachine: reads('/etc/passwd') !== null || lists('/etc') || lists('/home') || lists('/var') || lists('/run'),
    readsProcesses: existsSync('/proc/self') || lists('/proc') || lists('/sys'),
    holdsFiles: Array.from({ length: MAX_DESCRIPTORS }, (_, fd) => fd).some(isOpenFile),
    network,
    processId: process.pid,
    accountId: process.getuid?.() ?? null,
    variables: Object.keys(process.env),
    gainsRights: !account.includes('no_new_privs: 1'),
    hasRights: !account.includes('bounding set: [none]'),
    mounts: succeeds('/usr/bin/mount', ['-o', 'remount,rw,bind', '/workspace']),
    makesNamespaces: succeeds('/usr/bin/unshare', ['--user', '/usr/bin/true']),
    processes: saysOf('/usr/bin/prlimit', ['--nproc', '--noheadings', '--raw', '--output=HARD']).trim(),
  }),
);
