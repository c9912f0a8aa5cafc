/**
 * Opens files of a workspace for a model. It runs inside a cage, where nothing but the workspace can be opened, for as
 * long as the tools of one conversation need it. Plain JavaScript without dependencies: the cage has Node's binary and
 * this text, which it gets as an argument.
 *
 * A question is one line of JSON on standard input, one at a time: { read, maxBytes } or { locate }. The answer is one
 * line of JSON on standard output; `length` bytes follow it where it has a length.
 */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = '/workspace';

/** What a path that does not lead anywhere fails with. */
const NOWHERE = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'ENXIO', 'EINVAL'];

/** @param {string} reason */
const refused = (reason) => ({ kind: 'refused', reason });

/** Null when it leads out of the workspace: in a cage that is a link to nothing, or into the cage's own files. @param {string} path */
const resolve = (path) => {
  const absolute = realpathSync(`${ROOT}/${path}`);
  return absolute === ROOT || absolute.startsWith(`${ROOT}/`) ? absolute : null;
};

/** @param {string} path */
const locate = (path) => {
  const absolute = resolve(path);
  if (absolute === null) return refused('outside the workspace');
  const stat = lstatSync(absolute);
  const file = stat.isFile() ? 'file' : 'other';
  return { kind: 'inside', path: relative(ROOT, absolute), entry: stat.isDirectory() ? 'folder' : file };
};

/** @param {number} file @param {number} maxBytes */
const readOpen = (file, maxBytes) => {
  const stat = fstatSync(file);
  if (stat.isDirectory()) return refused('a folder');
  if (!stat.isFile()) return refused('not a regular file');
  if (stat.size > maxBytes) return { kind: 'too_large', bytes: stat.size };
  const data = Buffer.alloc(stat.size);
  let have = 0;
  while (have < data.length) {
    const read = readSync(file, data, have, data.length - have, have);
    if (read === 0) break;
    have += read;
  }
  return { kind: 'file', data: data.subarray(0, have) };
};

/** @param {string} path @param {number} maxBytes */
const read = (path, maxBytes) => {
  const absolute = resolve(path);
  if (absolute === null) return refused('outside the workspace');
  const file = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    return readOpen(file, maxBytes);
  } finally {
    closeSync(file);
  }
};

/** @param {{ read?: string, maxBytes?: number, locate?: string }} question */
const answer = (question) => {
  try {
    return question.read === undefined ? locate(question.locate ?? '') : read(question.read, question.maxBytes ?? 0);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return refused(NOWHERE.includes(code) ? 'not found' : `it cannot be read (${code})`);
  }
};

for await (const line of createInterface({ input: process.stdin })) {
  const { data, ...head } = /** @type {{ kind: string, data?: Buffer }} */ (answer(JSON.parse(line)));
  process.stdout.write(`${JSON.stringify({ ...head, length: data?.length ?? 0 })}\n`);
  if (data !== undefined) process.stdout.write(data);
}
