/** A repository with a change and its checkout: where the tools of a model act, in the cage and without one. */
import { createBashTool } from '../../shared/agent/tools/bash.ts';
import { createGlobTool } from '../../shared/agent/tools/glob.ts';
import { createGrepTool } from '../../shared/agent/tools/grep.ts';
import { createReadTool } from '../../shared/agent/tools/read.ts';
import { createWorkspaceFiles } from '../../shared/agent/tools/workspace-files.ts';
import type { Tool } from '../../shared/agent/tool.ts';
import type { CommitSha } from '../../shared/vocabulary/ids.ts';
import type { BashRunner } from '../../shared/workspace/bash/bash-runner.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import { openTreeIn } from '../../shared/workspace/tree/caged-tree.ts';
import { createCheckout } from '../../shared/workspace/tree/checkout.ts';
import { runCommand } from '../../shared/workspace/process/command.ts';
import { createGit } from '../../shared/workspace/git/git.ts';
import { openHistory } from '../../shared/workspace/bash/history.ts';
import { createReviewWorld, type ReviewWorld } from '../services/reviewer/review-world.ts';
import { GIT, gitOf, never } from '../shared/workspace/repository.ts';

export const FILES = 200;
const LINES = 300;

export type Change = { readonly world: ReviewWorld; readonly base: CommitSha; readonly head: CommitSha };

const textOfFile = (file: number): string =>
  Array.from({ length: LINES }, (_, line) => `export const value${file}_${line} = ${line};\n`).join('');

export const layChange = (): Change => {
  const world = createReviewWorld();
  const files = Array.from({ length: FILES }, (_, file) => [`src/part${file}.ts`, textOfFile(file)] as const);
  const base = world.commit(Object.fromEntries(files));
  return { world, base, head: world.commit({ 'src/part0.ts': `${textOfFile(0)}export const more = 1;\n` }) };
};

export const NAMES = ['Read', 'Grep', 'Glob', 'Bash'] as const;
export type Name = (typeof NAMES)[number];

export type Place = {
  readonly tools: Readonly<Record<Name, Tool>>;
  readonly run: BashRunner;
  readonly close: () => Promise<void>;
};

/** The programs of Bash as they are, over the same repository. */
const uncaged = (gitDir: string, root: string): BashRunner => {
  const git = createGit({ gitPath: GIT, gitDir, allowProtocols: [] });
  return async ({ program, args, stdin }, signal) => {
    const plain = { file: `/usr/bin/${program}`, args, env: {}, timeoutMs: 10_000, maxStdoutBytes: 256 * 1024 };
    const spec = program === 'git' ? git.spec(args, {}) : plain;
    const { exitCode, ...result } = await runCommand(
      { ...spec, ...(stdin === undefined ? {} : { input: stdin }), cwd: root },
      signal,
    );
    return { ...result, code: exitCode, signal: null };
  };
};

/** Contract: the caller closes it. */
export const openPlace = async ({ world, head, base }: Change, cage: Cage | null, folder: string): Promise<Place> => {
  const { revisions } = world.source();
  const checkout = await createCheckout({ revisions, folder }, head, never());
  const tree = openTreeIn(cage, checkout);
  const repository = gitOf(world.repository);
  const history =
    cage === null ? null : openHistory(cage, { repository, folder, workspace: checkout.root, head, base });
  const run = history?.run ?? uncaged(repository.gitDir, checkout.root);
  // The scan for secrets costs the same on both sides, and many times what is measured here.
  const unprotected = async (text: string): Promise<string> => text;
  const files = createWorkspaceFiles(tree, unprotected);
  return {
    run,
    tools: {
      Read: createReadTool(files),
      Grep: createGrepTool(files),
      Glob: createGlobTool(tree),
      Bash: createBashTool(run, unprotected),
    },
    close: async () => {
      await tree.close();
      await history?.close();
      await checkout.dispose();
    },
  };
};
