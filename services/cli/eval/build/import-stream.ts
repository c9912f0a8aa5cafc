/**
 * Commits as a stream for `git fast-import`: https://git-scm.com/docs/git-fast-import#_input_format. Pure. Nothing is
 * written to a work tree, so a path of a case cannot lead out of it.
 */
import { Buffer } from 'node:buffer';

/** `before` and `after` are null where the file does not exist. */
export type ImportedFile = {
  readonly path: string;
  readonly before: string | Uint8Array | null;
  readonly after: string | Uint8Array | null;
};

/** `content` is null if the commit deletes the file. Each commit has the one before as its parent. */
export type ImportedCommit = {
  readonly ref: string;
  readonly files: readonly { readonly path: string; readonly content: string | Uint8Array | null }[];
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

const change = ({ path, content }: ImportedCommit['files'][number]): readonly Uint8Array[] =>
  content === null
    ? [Buffer.from(`D ${quoted(path)}\n`)]
    : [Buffer.from(`M 100644 inline ${quoted(path)}\n`), ...dataOf(content)];

/** Deletions come first: deleting a file after its path has become a folder would delete the folder. */
const inOrder = (files: ImportedCommit['files']): ImportedCommit['files'] => [
  ...files.filter(({ content }) => content === null),
  ...files.filter(({ content }) => content !== null),
];

export const commitStream = (commits: readonly ImportedCommit[]): Uint8Array =>
  Buffer.concat([
    ...commits.flatMap(({ ref, files }, index) => [
      Buffer.from(`commit ${ref}\nmark :${index + 1}\n${WHO}`),
      ...dataOf(ref),
      Buffer.from(index === 0 ? '' : `from :${index}\n`),
      ...inOrder(files).flatMap(change),
    ]),
    Buffer.from('done\n'),
  ]);

/** A base and a head. */
export const importStream = (files: readonly ImportedFile[]): Uint8Array =>
  commitStream([
    {
      ref: BASE_REF,
      files: files.flatMap(({ path, before }) => (before === null ? [] : [{ path, content: before }])),
    },
    {
      ref: HEAD_REF,
      files: files.flatMap(({ path, before, after }) =>
        before === null && after === null ? [] : [{ path, content: after }],
      ),
    },
  ]);
