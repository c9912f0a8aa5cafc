/** Plants everything in a git directory that could make a later git command run a program or open a connection. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export type Poison = {
  /** A file that exists only if planted code was executed. */
  readonly canary: string;
  readonly listenerUrl: string;
  readonly serverUrl: string;
};

const configOf = ({ canary, listenerUrl, serverUrl }: Poison, scripts: string): string => {
  const run = `touch ${canary}`;
  return `
[core]
\tfsmonitor = "${run}; false"
\thooksPath = ${scripts}
\tsshCommand = ${run}
\tgitProxy = ${run}
\taskPass = ${path.join(scripts, 'post-checkout')}
\tattributesFile = ${path.join(scripts, 'attributes')}
\talternateRefsCommand = ${run}
\tpager = ${run}
\teditor = ${run}
\tworktree = ${scripts}
[include]
\tpath = ${path.join(scripts, 'more.config')}
[extensions]
\tworktreeConfig = true
[diff]
\texternal = ${run}
\tguitool = evil
[diff "evil"]
\tcommand = ${run}
\ttextconv = "${run}; cat"
[filter "evil"]
\tclean = "${run}; cat"
\tsmudge = "${run}; cat"
\tprocess = ${run}
\trequired = true
[merge "evil"]
\tdriver = ${run}
[credential]
\thelper = "!${run}"
[gpg]
\tprogram = ${path.join(scripts, 'post-checkout')}
[log]
\tshowSignature = true
[commit]
\tgpgSign = true
[push]
\tgpgSign = true
\trecurseSubmodules = on-demand
[uploadpack]
\tpackObjectsHook = ${run}
[trailer "x"]
\tcommand = ${run}
[protocol]
\tallow = always
[protocol "ext"]
\tallow = always
[http]
\tproxy = ${listenerUrl}
\textraHeader = "X-Planted: yes"
\tfollowRedirects = true
[url "${listenerUrl}/"]
\tinsteadOf = ${serverUrl}/
\tpushInsteadOf = ${serverUrl}/
[fetch]
\trecurseSubmodules = true
[submodule]
\trecurse = true
${['fetch', 'push', 'diff-tree', 'cat-file', 'rev-parse', 'ls-tree', 'commit-tree'].map((name) => `[alias]\n\t${name} = "!${run}"`).join('\n')}
`;
};

const HOOKS = [
  'reference-transaction',
  'post-checkout',
  'post-commit',
  'post-merge',
  'pre-auto-gc',
  'pre-commit',
  'pre-push',
  'post-index-change',
  'post-rewrite',
];

/** Makes git read configuration, refs and objects from another folder. */
export const misleadToFolder = (gitDir: string, elsewhere: string): void => {
  writeFileSync(path.join(gitDir, 'commondir'), `${elsewhere}\n`);
  mkdirSync(path.join(gitDir, 'objects', 'info'), { recursive: true });
  writeFileSync(path.join(gitDir, 'objects', 'info', 'alternates'), `${path.join(elsewhere, 'objects')}\n`);
};

export const poison = (gitDir: string, wish: Poison): void => {
  const scripts = path.join(gitDir, 'planted');
  mkdirSync(scripts, { recursive: true });
  mkdirSync(path.join(gitDir, 'hooks'), { recursive: true });
  mkdirSync(path.join(gitDir, 'info'), { recursive: true });
  for (const folder of [scripts, path.join(gitDir, 'hooks')])
    for (const name of HOOKS) {
      writeFileSync(path.join(folder, name), `#!/bin/sh\ntouch ${wish.canary}\n`);
      chmodSync(path.join(folder, name), 0o755);
    }
  const attributes = '* diff=evil filter=evil merge=evil text eol=crlf\n';
  for (const file of [path.join(scripts, 'attributes'), path.join(gitDir, 'info', 'attributes')])
    writeFileSync(file, attributes);
  const config = configOf(wish, scripts);
  writeFileSync(path.join(scripts, 'more.config'), config.replace(/\[include\]\n.*\n/, ''));
  writeFileSync(path.join(gitDir, 'config.worktree'), config);
  const own = path.join(gitDir, 'config');
  writeFileSync(own, `${existsSync(own) ? readFileSync(own, 'utf8') : ''}${config}`);
};
