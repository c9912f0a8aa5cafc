import { runGit } from './git.ts';

/** `[ui] CODE_COMMENT_LINES`: how many lines the excerpt shows, the commented one included. */
const excerptLines = 4;

export type HunkLine = { readonly mark: string; readonly old: number; readonly new: number; readonly text: string };

/** Lines of one `@@` part with both countings; a counter that does not move stays at the next line of its side. */
export const readHunk = (header: string, body: readonly string[]): readonly HunkLine[] => {
  const match = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header);
  let oldLine = Number(match?.[1] ?? 0);
  let newLine = Number(match?.[2] ?? 0);
  const lines: HunkLine[] = [];
  for (const raw of body) {
    const mark = raw.slice(0, 1);
    if (mark === '\\' || mark === '') continue;
    lines.push({ mark, old: oldLine, new: newLine, text: raw });
    if (mark !== '+') oldLine += 1;
    if (mark !== '-') newLine += 1;
  }
  return lines;
};

const cut = (lines: readonly HunkLine[], at: number): string => {
  const part = lines.slice(Math.max(0, at - excerptLines + 1), at + 1);
  const [first] = part;
  if (first === undefined) return '';
  const oldCount = part.filter((line) => line.mark !== '+').length;
  const newCount = part.filter((line) => line.mark !== '-').length;
  return [`@@ -${first.old},${oldCount} +${first.new},${newCount} @@`, ...part.map((line) => line.text)].join('\n');
};

const isAt = (line: HunkLine, signed: number): boolean =>
  signed < 0 ? line.mark !== '+' && line.old === -signed : line.mark !== '-' && line.new === signed;

/** Cuts the excerpt around a signed line out of one file's diff; empty when the diff does not hold it. */
export const cutAround = (diff: string, signedLine: number): string => {
  const parts = diff.split(/^(?=@@ )/m).slice(1);
  for (const part of parts) {
    const [header = '', ...body] = part.split('\n');
    const lines = readHunk(header, body);
    const at = lines.findIndex((line) => isAt(line, signedLine));
    if (at >= 0) return cut(lines, at);
  }
  return '';
};

export type HunkQuestion = {
  readonly gitDir: string;
  readonly base: string;
  readonly head: string;
  readonly path: string;
  readonly signedLine: number;
};

export const diffHunkFor = async (question: HunkQuestion): Promise<string> => {
  const { gitDir, base, head, path, signedLine } = question;
  const diff = await runGit(gitDir, ['diff', '-M', base, head, '--', `:(literal)${path}`]);
  return cutAround(diff, signedLine);
};
