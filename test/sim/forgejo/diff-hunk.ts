import { runGit } from './git.ts';

/** `[ui] CODE_COMMENT_LINES`: number of lines in the excerpt, with the commented one. */
const excerptLines = 4;

export type HunkLine = { readonly mark: string; readonly old: number; readonly new: number; readonly text: string };

/** Lines of one `@@` part with both line counters; a side that does not advance has the number of its next line. */
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

/** An excerpt from the start of the hunk keeps the hunk's header (CutDiffAroundLine in modules/git/diff.go). */
const cut = (header: string, lines: readonly HunkLine[], at: number): string => {
  const part = lines.slice(Math.max(0, at - excerptLines + 1), at + 1);
  const [first] = part;
  if (first === undefined) return '';
  if (at < excerptLines) return [header, ...part.map((line) => line.text)].join('\n');
  const oldCount = part.filter((line) => line.mark !== '+').length;
  const newCount = part.filter((line) => line.mark !== '-').length;
  return [`@@ -${first.old},${oldCount} +${first.new},${newCount} @@`, ...part.map((line) => line.text)].join('\n');
};

const isAt = (line: HunkLine, signed: number): boolean =>
  signed < 0 ? line.mark !== '+' && line.old === -signed : line.mark !== '-' && line.new === signed;

/** The excerpt around a signed line of one file's diff; empty when the diff does not contain the line. */
export const cutAround = (diff: string, signedLine: number): string => {
  const parts = diff.split(/^(?=@@ )/m).slice(1);
  for (const part of parts) {
    const [header = '', ...body] = part.split('\n');
    const lines = readHunk(header, body);
    const at = lines.findIndex((line) => isAt(line, signedLine));
    if (at >= 0) return cut(header, lines, at);
  }
  return '';
};

export type HunkQuestion = {
  readonly gitDir: string;
  readonly base: string;
  readonly head: string;
  readonly path: string;
  readonly signedLine: number;
  /** Gitea shows the file's lines when the diff does not contain the line. */
  readonly fillsUnchanged: boolean;
};

/** The lines up to the commented one, from the commit (GeneratePatchForUnchangedLine in services/gitdiff of Gitea). */
const linesAround = async ({ gitDir, head, path, signedLine }: HunkQuestion): Promise<string> => {
  const file = await runGit(gitDir, ['show', `${head}:${path}`]).catch(() => '');
  const line = Math.abs(signedLine);
  const first = Math.max(1, line - excerptLines);
  const shown = file.split('\n').slice(first - 1, line);
  if (shown.length === 0 || file === '') return '';
  const counts = `${first},${shown.length}`;
  return [`@@ -${counts} +${counts} @@`, ...shown.map((text) => ` ${text}`), ''].join('\n');
};

export const diffHunkFor = async (question: HunkQuestion): Promise<string> => {
  const { gitDir, base, head, path, signedLine } = question;
  const diff = await runGit(gitDir, ['diff', '-M', base, head, '--', `:(literal)${path}`]);
  const found = cutAround(diff, signedLine);
  return found === '' && question.fillsUnchanged ? linesAround(question) : found;
};
