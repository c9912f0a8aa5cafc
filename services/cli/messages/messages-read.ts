import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../terminal/usage-error.ts';

/**
 * Lists the YAML files below a folder, as `messages export --out` writes them. Returns a file or `-` as the only entry.
 */
export const documentFiles = async (named: string): Promise<readonly string[]> => {
  const isFolder = named !== '-' && (await stat(named).catch(() => null))?.isDirectory() === true;
  if (!isFolder) return [named];
  const names = await readdir(named, { recursive: true });
  const files = names.filter((name) => /\.ya?ml$/.test(name)).toSorted();
  if (files.length === 0) throw new UsageError(`${named}: no YAML file in this folder`);
  return files.map((name) => path.join(named, name));
};

/** Only a line feed ends a line: with the flag `m`, `^` and `$` also match at U+2028 and U+2029, which YAML allows in a line. */
const DIVIDER = /(?<![^\n])---(?=[ \t\r\n]|$)/;

const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/**
 * The unparsed documents of a YAML stream, in order. Splitting by lines is safe, because the separator cannot begin a
 * line inside a document: https://yaml.org/spec/1.2.2/#rule-c-forbidden
 */
export const readDocumentTexts = async (file: string): Promise<readonly string[]> => {
  const text = await readText(file, MAX_STREAM_BYTES);
  if (Buffer.byteLength(text) > MAX_STREAM_BYTES)
    throw new UsageError(`${file}: is larger than ${MAX_STREAM_BYTES} bytes`);
  const documents = text.split(DIVIDER).filter((part) => part.trim() !== '');
  return documents.length > 1 ? documents : [text];
};

const readText = async (file: string, maxBytes: number): Promise<string> => {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of source) {
      const bytes = Buffer.from(piece);
      pieces.push(bytes);
      length += bytes.length;
      if (length > maxBytes) break;
    }
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new UsageError(`${file}: cannot be read (${reason})`);
  }
  return Buffer.concat(pieces).toString('utf8');
};
