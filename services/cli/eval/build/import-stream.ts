/**
 * Two commits as a stream for `git fast-import`: https://git-scm.com/docs/git-fast-import#_input_format. Pure. Nothing is
 * written to a work tree, so a path of a case cannot lead out of it.
 */
import { Buffer } from 'node:buffer';

/** `before` and `after` are null where the file does not exist. */
export type ImportedFile = {
  readonly path: string;
  readonly before: string | Uint8Array | null;
  readonly after: string | Uint8Array | null;
};

export const BASE_REF = 'refs/heads/base';
export const HEAD_REF = 'refs/heads/head';

/** Fixed, so that the same case has the same commits. */
const WHO = 'committer Fixpoint <fixpoint@localhost> 1700000000 +0000\n';

const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const dataOf = (content: string | Uint8Array): readonly Uint8Array[] => {
  const bytes = Buffer.from(content);
  return [Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')];
};

const modify = (path: string, content: string | Uint8Array): readonly Uint8Array[] => [
  Buffer.from(`M 100644 inline ${quoted(path)}\n`),
  ...dataOf(content),
];

const commit = (ref: string, mark: number, from: string): readonly Uint8Array[] => [
  Buffer.from(`commit ${ref}\nmark :${mark}\n${WHO}`),
  ...dataOf(ref),
  Buffer.from(from),
];

export const importStream = (files: readonly ImportedFile[]): Uint8Array =>
  Buffer.concat([
    ...commit(BASE_REF, 1, ''),
    ...files.flatMap(({ path, before }) => (before === null ? [] : modify(path, before))),
    ...commit(HEAD_REF, 2, 'from :1\n'),
    ...files.flatMap(({ path, before, after }) => {
      if (after !== null) return modify(path, after);
      return before === null ? [] : [Buffer.from(`D ${quoted(path)}\n`)];
    }),
    Buffer.from('done\n'),
  ]);
