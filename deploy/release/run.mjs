import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** @param {string} message */
export function say(message) {
  process.stdout.write(`${message}\n`);
}

/** @param {string} message @returns {never} */
export function stop(message) {
  process.stderr.write(`release: ${message}\n`);
  process.exit(1);
}

/**
 * Returns what a command prints; exits if the command fails. @param {string} command @param {readonly string[]} args
 */
export function run(command, args) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  return stop(`"${command} ${args.join(' ')}" failed: ${error?.message ?? (stderr.trim() || stdout.trim())}`);
}

/** Returns null if the command fails. @param {readonly string[]} args */
export function tryGit(args) {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}
