/** Finds the annotated diff in a prompt. Format: `shared/diff/annotate/annotate.ts`. */
export type DiffLine = {
  readonly path: string;
  /** Counts from 1; on the new side for added and context lines, on the old side for removed ones. */
  readonly line: number;
  readonly kind: 'added' | 'removed' | 'context';
  readonly text: string;
};

const HEADER = /^=== (?<path>"(?:[^"\\]|\\.)*"|.+?) \((?:added|modified|deleted|renamed|copied)\b.*\)$/;
const ROW = /^(?<sign>[+\- ])(?<old>\d*) (?<new>\d*):(?<text>.*)$/;
const KINDS: Readonly<Record<string, DiffLine['kind']>> = { '+': 'added', '-': 'removed', ' ': 'context' };

const readRow = (row: string): Omit<DiffLine, 'path'> | null => {
  const { sign, old = '', new: head = '', text } = ROW.exec(row)?.groups ?? {};
  const kind = KINDS[sign ?? ''];
  const line = head === '' ? old : head;
  return kind === undefined || line === '' || text === undefined ? null : { line: Number(line), kind, text };
};

export const readDiff = (text: string): readonly DiffLine[] => {
  const lines: DiffLine[] = [];
  let path: string | null = null;
  for (const row of text.split('\n')) {
    const header = HEADER.exec(row)?.groups?.['path'];
    if (header !== undefined) path = header.startsWith('"') ? String(JSON.parse(header)) : header;
    const read = path === null ? null : readRow(row);
    if (path !== null && read !== null) lines.push({ path, ...read });
  }
  return lines;
};
