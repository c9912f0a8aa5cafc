/** States of a work tree: where its HEAD is, what git is in the middle of, and what became of the tree itself. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type At, type State, userWrites } from './tree-agent.ts';

export const statesOfHead = (stage: At): readonly State[] => [
  {
    name: 'a detached head',
    agent: ({ git, write }) => {
      git('checkout', '--quiet', '--detach');
      write('b.txt', 'b\n');
    },
    what: 'back',
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'a branch that the user had',
    before: () => void stage().git('branch', 'users'),
    agent: ({ git, write }) => {
      git('checkout', '--quiet', 'users');
      write('b.txt', 'b\n');
    },
    what: 'kept',
    said: /the work tree is on users, a branch that the agent did not create/,
    inTree: ['b.txt'],
  },
  {
    name: 'a branch of its own',
    agent: ({ git, write }) => {
      git('checkout', '--quiet', '-b', 'own');
      write('b.txt', 'b\n');
    },
    what: 'back',
    said: /branches of the agent.*: own/,
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'a branch beside its work, and a tag',
    agent: ({ git, write }) => {
      git('checkout', '--quiet', '-b', 'aside');
      git('commit', '-qm', 'aside', '--allow-empty');
      git('tag', 'v9');
      git('checkout', '--quiet', 'fixpoint/loop/r1-1-1');
      write('b.txt', 'b\n');
    },
    what: 'back',
    said: /: aside; tags created during the run: v9/,
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'a stash',
    agent: ({ git, write }) => {
      write('a.txt', 'stashed\n');
      git('stash');
    },
    what: 'unchanged',
    said: /new stashes/,
  },
  {
    name: 'a rebase under way',
    agent: ({ git, write }) => {
      for (const text of ['one', 'two']) {
        write('b.txt', `${text}\n`);
        git('add', '.');
        git('commit', '-qm', text);
      }
      git('-c', 'sequence.editor=sed -i 1s/pick/edit/', 'rebase', '--quiet', '--interactive', 'HEAD~2');
    },
    what: 'kept',
    said: /a rebase is in progress/,
  },
  {
    name: 'a merge under way',
    agent: ({ git, write }) => {
      git('branch', 'aside');
      write('a.txt', 'mine\n');
      git('commit', '-qam', 'one');
      git('checkout', '--quiet', 'aside');
      write('a.txt', 'theirs\n');
      git('commit', '-qam', 'two');
      git('checkout', '--quiet', 'fixpoint/loop/r1-1-1');
      expect(() => git('merge', 'aside')).toThrow('Command failed');
    },
    what: 'kept',
    said: /a merge is in progress/,
  },
  {
    name: 'conflicts of a stash',
    agent: ({ git, write }) => {
      write('a.txt', 'stashed\n');
      git('stash');
      write('a.txt', 'committed\n');
      git('commit', '-qam', 'one');
      expect(() => git('stash', 'pop')).toThrow('Command failed');
    },
    what: 'kept',
    said: /unresolved conflicts/,
  },
  {
    name: 'a branch without a commit',
    agent: ({ git }) => void git('checkout', '--quiet', '--orphan', 'new'),
    what: 'kept',
    said: /on a branch without a commit/,
  },
  {
    name: 'assume-unchanged',
    agent: ({ git, write }) => {
      git('update-index', '--assume-unchanged', 'a.txt');
      write('a.txt', 'hidden\n');
    },
    what: 'kept',
    said: /cannot be committed.*a\.txt/,
    inTree: ['a.txt'],
  },
  {
    name: 'skip-worktree',
    agent: ({ git, write }) => {
      git('update-index', '--skip-worktree', 'a.txt');
      write('a.txt', 'hidden\n');
    },
    what: 'kept',
    said: /cannot be committed.*a\.txt/,
    inTree: ['a.txt'],
  },
  {
    name: 'a sparse tree',
    before: () => userWrites(stage, { 'in/x.txt': 'x\n', 'out/y.txt': 'y\n' }),
    agent: ({ git, write }) => {
      git('sparse-checkout', 'set', 'in');
      write('in/x.txt', 'b\n');
      write('out/new.txt', 'new\n');
    },
    what: 'back',
    home: { 'in/x.txt': 'b\n', 'out/y.txt': 'y\n', 'out/new.txt': 'new\n' },
  },
  {
    name: 'an amended commit',
    agent: ({ git, write }) => {
      write('b.txt', 'b\n');
      git('add', '.');
      git('commit', '-qm', 'one');
      git('commit', '-qm', 'two', '--amend');
    },
    what: 'back',
    said: /dropped commits/,
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'a commit that was reset away',
    agent: ({ git }) => {
      git('commit', '-qm', 'one', '--allow-empty');
      git('reset', '--quiet', '--hard', 'HEAD^');
    },
    what: 'unchanged',
    said: /dropped commits/,
  },
  {
    name: 'reset to before the beginning',
    before: () => userWrites(stage, { 'c.txt': 'c\n' }),
    agent: ({ git }) => void git('reset', '--quiet', '--hard', 'HEAD^'),
    what: 'kept',
    said: /lacks commits of the task/,
  },
];

export const statesOfTree = (stage: At): readonly State[] => [
  {
    name: 'a lock of the index',
    agent: ({ git, write }) => {
      write('b.txt', 'b\n');
      writeFileSync(join(git('rev-parse', '--absolute-git-dir'), 'index.lock'), '');
    },
    what: 'kept',
    said: /index\.lock/,
    inTree: ['b.txt'],
  },
  {
    name: 'a locked tree',
    agent: ({ git, write, tree }) => {
      write('b.txt', 'b\n');
      git('worktree', 'lock', tree.path);
    },
    what: 'stays',
    said: /could not be removed/,
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'a tree that is gone',
    agent: ({ git, write, tree }) => {
      write('b.txt', 'b\n');
      git('add', '.');
      git('commit', '-qm', 'one');
      rmSync(tree.path, { recursive: true });
    },
    what: 'kept',
    said: /the work tree is gone/,
  },
  {
    name: 'a tree that was moved away',
    agent: ({ git, write, tree }) => {
      write('b.txt', 'b\n');
      git('worktree', 'move', tree.path, join(stage().root, '..', 'moved'));
    },
    what: 'kept',
    said: /the work tree is gone/,
  },
  {
    name: 'a tree that was made a repository',
    agent: ({ git, path, write }) => {
      write('b.txt', 'b\n');
      rmSync(path('.git'));
      git('init', '--quiet', '.');
    },
    what: 'kept',
    said: /no longer a worktree of this repository/,
    inTree: ['b.txt'],
  },
  {
    name: 'refs of its own',
    agent: ({ git }) => void git('update-ref', 'refs/worktree/own', 'HEAD'),
    what: 'kept',
    said: /refs\/worktree\/own/,
  },
  {
    name: 'a filter whose program is missing',
    agent: ({ git, write }) => {
      write('.gitattributes', '*.bin filter=lfs\n');
      git('config', 'filter.lfs.clean', 'no-such-program');
      git('config', 'filter.lfs.required', 'true');
      write('x.bin', 'b\n');
    },
    what: 'kept',
    said: /git add failed/,
    inTree: ['x.bin'],
  },
  {
    name: 'what a hook of the user changed after the commit',
    before: () => {
      writeFileSync(join(stage().root, '.git/hooks/post-commit'), '#!/bin/sh\necho hooked > a.txt\n', { mode: 0o755 });
    },
    agent: ({ write }) => write('b.txt', 'b\n'),
    what: 'kept',
    said: /cannot be committed.*a\.txt/,
    inTree: ['a.txt'],
  },
  {
    name: 'what a hook of the user made at the beginning',
    before: () => {
      userWrites(stage, { '.gitignore': 'deps/\n' });
      const hook = '#!/bin/sh\nmkdir -p deps; echo x > deps/x; echo y > local.txt\n';
      writeFileSync(join(stage().root, '.git/hooks/post-checkout'), hook, { mode: 0o755 });
      writeFileSync(join(stage().root, '.git/info/exclude'), 'local.txt\n');
    },
    agent: ({ write }) => write('b.txt', 'b\n'),
    what: 'back',
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'what a hook of the user made at the beginning, and was changed',
    before: () => {
      userWrites(stage, { '.gitignore': 'deps/\n' });
      const hook = '#!/bin/sh\nmkdir -p deps; echo x > deps/x\n';
      writeFileSync(join(stage().root, '.git/hooks/post-checkout'), hook, { mode: 0o755 });
    },
    agent: ({ write }) => write('deps/x', 'patched\n'),
    what: 'unchanged',
    said: /ignored files .*deps\//,
    inTree: ['deps/x'],
  },
];
