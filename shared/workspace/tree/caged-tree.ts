/** Opens the files of a checkout in a cage, so that this process opens none of them for a model. */
import { posix } from 'node:path';
import { type Cage, CAGED_WORKSPACE } from '../cage/cage.ts';
import type { AbsentFiles } from './absent-files.ts';
import { createFileClient } from './file-client.ts';
import { askedPath } from './open-inside.ts';
import { RIPGREP_ENVIRONMENT, ripgrepArguments, SEARCH_TIMEOUT_MS } from '../process/ripgrep.ts';
import { openTree, tooLarge, type Tree } from './tree.ts';

export const openCagedTree = (cage: Cage, root: string): Tree => {
  const files = createFileClient(cage, root);
  return {
    read: async (asked, maxBytes, signal) => {
      const path = askedPath(asked);
      if (path.kind === 'refused') return path;
      const answer = await files.ask({ read: path.path, maxBytes }, signal);
      if (answer.kind === 'too_large') return tooLarge(answer.bytes, maxBytes);
      if (answer.kind === 'inside') throw new TypeError('the file server answered a different request');
      return answer;
    },
    locate: async (asked, signal) => {
      const path = askedPath(asked);
      if (path.kind === 'refused') return path;
      const answer = await files.ask({ locate: path.path }, signal);
      if (answer.kind !== 'inside' && answer.kind !== 'refused') {
        throw new TypeError('the file server answered a different request');
      }
      return answer;
    },
    ripgrep: async (folder, { args, maxBytes }, signal) => {
      const { code, ...result } = await cage.run([cage.programs.ripgrep, ...ripgrepArguments(args)], {
        workspace: root,
        cwd: posix.join(CAGED_WORKSPACE, folder),
        env: RIPGREP_ENVIRONMENT,
        timeoutMs: SEARCH_TIMEOUT_MS,
        outputBytes: maxBytes,
        signal,
      });
      return { ...result, exitCode: code };
    },
    close: files.close,
  };
};

/** `absent`: the files that the folder lacks. If absent, it lacks none. */
export type LaidTree = { readonly root: string; readonly absent?: AbsentFiles };

export const openTreeIn = (cage: Cage | null, { root, absent }: LaidTree): Tree => ({
  ...(cage === null ? openTree(root) : openCagedTree(cage, root)),
  absent,
});
