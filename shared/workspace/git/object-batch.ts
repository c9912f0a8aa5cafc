import { type Git, gitError } from './git.ts';

/** Full object ids. The functions below read many objects with one short-lived process and skip missing objects. */
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const HEADER_BYTES = 120;
const BATCH_TIMEOUT_MS = 60_000;
const LINE_FEED = 10;

const broken = () => gitError('GIT_BAD_OUTPUT', 'unexpected output of git cat-file', 'retry');

const inputOf = (objectIds: readonly string[]): Buffer => {
  if (!objectIds.every((id) => OBJECT_ID.test(id))) throw gitError('GIT_REFUSED', 'not a full object id', 'fail');
  return Buffer.from(`${objectIds.join('\n')}\n`, 'latin1');
};

type Header = { readonly id: string; readonly bytes: number | null };

const parseHeader = (line: string): Header => {
  const match = /^([0-9a-f]+) (?:missing|[a-z]+ (\d+))$/.exec(line);
  if (match?.[1] === undefined) throw broken();
  return { id: match[1], bytes: match[2] === undefined ? null : Number(match[2]) };
};

/** Returns sizes in bytes by object id. */
export const readSizes = async (
  git: Git,
  objectIds: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> => {
  if (objectIds.length === 0) return new Map();
  const maxBytes = objectIds.length * HEADER_BYTES;
  const options = { input: inputOf(objectIds), maxBytes, timeoutMs: BATCH_TIMEOUT_MS };
  const { stdout } = await git.run(['cat-file', '--batch-check'], options, signal);
  const sizes = new Map<string, number>();
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(LINE_FEED, at);
    if (end < 0) throw broken();
    const { id, bytes } = parseHeader(stdout.toString('latin1', at, end));
    if (bytes !== null) sizes.set(id, bytes);
    at = end + 1;
  }
  return sizes;
};

/** Returns contents by object id. @throws `GIT_TOO_LARGE` when they exceed `maxBytes` in total; the caller knows the sizes. */
export const readContents = async (
  git: Git,
  { objectIds, maxBytes }: { readonly objectIds: readonly string[]; readonly maxBytes: number },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Buffer>> => {
  const found = new Map<string, Buffer>();
  if (objectIds.length === 0) return found;
  const limit = maxBytes + objectIds.length * HEADER_BYTES;
  const options = { input: inputOf(objectIds), maxBytes: limit, timeoutMs: BATCH_TIMEOUT_MS };
  const { stdout } = await git.run(['cat-file', '--batch'], options, signal);
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf(LINE_FEED, at);
    if (end < 0) throw broken();
    const { id, bytes } = parseHeader(stdout.toString('latin1', at, end));
    at = end + 1;
    if (bytes === null) continue;
    if (stdout[at + bytes] !== LINE_FEED) throw broken();
    found.set(id, stdout.subarray(at, at + bytes));
    at += bytes + 1;
  }
  return found;
};
