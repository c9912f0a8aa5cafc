/** Records what setup has created, in a file beside the configuration, so that `--remove` can undo it. Holds no secret. */
import { z } from 'zod';
import { UsageError } from '../terminal/usage-error.ts';
import { readIfThere, removeFile, replaceFile } from './files.ts';

const Owner = z.union([
  z.object({
    kind: z.literal('project'),
    project: z.object({ id: z.number().int(), path: z.string() }).readonly(),
  }),
  z.object({ kind: z.literal('group'), path: z.string() }),
]);

const MadeThings = z.object({
  /** The public address at which the forge calls the ingress. */
  publicUrl: z.string(),
  /** The account whose comments are Fixpoint's memory. */
  bot: z.object({ id: z.number().int(), login: z.string() }).readonly(),
  hooks: z.array(z.object({ owner: Owner, url: z.string() }).readonly()).readonly(),
  members: z
    .array(
      z.object({ owner: Owner, account: z.object({ id: z.number().int(), login: z.string() }).readonly() }).readonly(),
    )
    .readonly(),
});
export type MadeThings = z.output<typeof MadeThings>;

const WrittenFile = z.object({ path: z.string(), sha256: z.string() }).readonly();
export type WrittenFile = z.output<typeof WrittenFile>;

export const SetupRecord = z.object({
  version: z.literal(1),
  /** What setup created, by the id of the forge. */
  forges: z.record(z.string(), MadeThings),
  /** Files that setup created, as it left them. */
  files: z.array(WrittenFile).readonly(),
});
export type SetupRecord = z.output<typeof SetupRecord>;

export const NO_RECORD: SetupRecord = { version: 1, forges: {}, files: [] };

export const NOTHING_MADE: Omit<MadeThings, 'publicUrl' | 'bot'> = { hooks: [], members: [] };

/** @throws `USAGE` when the file was not written by setup */
export const loadRecord = async (path: string): Promise<SetupRecord> => {
  const file = await readIfThere(path);
  if (file.text === null) return NO_RECORD;
  try {
    return SetupRecord.parse(JSON.parse(file.text));
  } catch (cause) {
    throw new UsageError(
      `${path} is not a record of fixpoint setup: move it away (${cause instanceof SyntaxError ? 'no JSON' : 'other fields'})`,
    );
  }
};

export const saveRecord = async (path: string, record: SetupRecord): Promise<void> => {
  const isEmpty = Object.keys(record.forges).length === 0 && record.files.length === 0;
  if (isEmpty) await removeFile(path);
  else await replaceFile(path, `${JSON.stringify(record, null, 2)}\n`, 0o600);
};
