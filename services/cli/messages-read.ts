import { createReadStream } from 'node:fs';
import { MAX_YAML_BYTES } from '../../shared/protocol/read-yaml.ts';
import { UsageError } from './usage-error.ts';

/** The text of a file, or of standard input for `-`. One byte more than a document may have is as much as is read. */
export const readDocumentText = async (file: string): Promise<string> => {
  const source = file === '-' ? process.stdin : createReadStream(file);
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of source) {
      const bytes = Buffer.from(piece);
      pieces.push(bytes);
      length += bytes.length;
      if (length > MAX_YAML_BYTES) break;
    }
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown reason';
    throw new UsageError(`${file}: cannot be read (${reason})`);
  }
  return Buffer.concat(pieces).toString('utf8');
};
