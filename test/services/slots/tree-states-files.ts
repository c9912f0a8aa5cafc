/** States of a work tree: files of every kind, and repositories within it. */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { addSubmodules, type At, commitIn, ignoring, populate, type State } from './tree-agent.ts';

export const statesOfFiles = (stage: At): readonly State[] => [
  { name: 'clean', agent: () => {}, what: 'unchanged' },
  {
    name: 'committed',
    agent: ({ write, git }) => {
      write('b.txt', 'b\n');
      git('add', '.');
      git('commit', '-qm', 'one');
    },
    what: 'back',
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'staged',
    agent: ({ write, git }) => {
      write('b.txt', 'b\n');
      git('add', '.');
    },
    what: 'back',
    home: { 'b.txt': 'b\n' },
  },
  { name: 'changed', agent: ({ write }) => write('a.txt', 'b\n'), what: 'back', home: { 'a.txt': 'b\n' } },
  { name: 'untracked', agent: ({ write }) => write('n/b.txt', 'b\n'), what: 'back', home: { 'n/b.txt': 'b\n' } },
  {
    name: 'intended to be added',
    agent: ({ write, git }) => {
      write('b.txt', 'b\n');
      git('add', '--intent-to-add', 'b.txt');
    },
    what: 'back',
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'staged and then deleted',
    agent: ({ write, git, path }) => {
      write('b.txt', 'b\n');
      git('add', '.');
      rmSync(path('b.txt'));
    },
    what: 'unchanged',
  },
  {
    name: 'a mode alone',
    agent: ({ path }) => chmodSync(path('a.txt'), 0o755),
    what: 'back',
  },
  {
    name: 'a name in another case',
    agent: ({ path }) => renameSync(path('a.txt'), path('A.txt')),
    what: 'back',
    home: { 'A.txt': 'one\n' },
  },
  { name: 'a symbolic link', agent: ({ path }) => symlinkSync('a.txt', path('l')), what: 'back', home: { l: 'one\n' } },
  { name: 'an empty folder', agent: ({ path }) => mkdirSync(path('e')), what: 'unchanged', said: /empty .*e\// },
  {
    name: 'odd names',
    agent: ({ write }) => write(`${'d'.repeat(200)}/ -x "'\\é\n*.txt`, 'b\n'),
    what: 'back',
    home: { [`${'d'.repeat(200)}/ -x "'\\é\n*.txt`]: 'b\n' },
  },
  {
    name: 'an empty commit',
    agent: ({ git }) => void git('commit', '-qm', 'empty', '--allow-empty'),
    what: 'unchanged',
  },
  {
    name: 'an ignored file that a tracked one needs (F-B3)',
    before: ignoring(stage, 'lib/'),
    agent: ({ write }) => {
      write('a.txt', 'needs lib\n');
      write('lib/x.txt', 'x\n');
    },
    what: 'stays',
    said: /ignored files .*lib\//,
    home: { 'a.txt': 'needs lib\n' },
    inTree: ['lib/x.txt'],
  },
  {
    name: 'nothing but an ignored file',
    before: ignoring(stage, '*.log'),
    agent: ({ write }) => write('x.log', 'x\n'),
    what: 'unchanged',
    said: /ignored files .*x\.log/,
    inTree: ['x.log'],
  },
  {
    name: 'a file that the loop itself laid down',
    agent: ({ write }) => {
      write('.fixpoint/loop/.gitignore', '*\n');
      write('.fixpoint/loop/packets/1-context.md', 'x\n');
    },
    what: 'unchanged',
  },
  {
    name: 'a file beside those that the loop laid down',
    agent: ({ write }) => {
      write('.fixpoint/loop/.gitignore', '*\n');
      write('.fixpoint/loop/packets/own.md', 'x\n');
    },
    what: 'unchanged',
    said: /own\.md/,
    inTree: ['.fixpoint/loop/packets/own.md'],
  },
];

export const statesOfRepositories = (stage: At): readonly State[] => [
  {
    name: 'a nested repository',
    agent: ({ git, write }) => {
      write('n/b.txt', 'b\n');
      git('init', '--quiet', 'n');
      git('-C', 'n', 'add', '.');
      git('-C', 'n', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'own');
    },
    what: 'kept',
    said: /n is a nested repository, not a submodule/,
    inTree: ['n/b.txt'],
  },
  {
    name: 'a repository without a commit',
    agent: ({ git, write }) => {
      write('n/b.txt', 'b\n');
      git('init', '--quiet', 'n');
    },
    what: 'kept',
    said: /git add failed/,
    inTree: ['n/b.txt'],
  },
  {
    name: 'a populated submodule, as it was',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      agent.write('b.txt', 'b\n');
    },
    what: 'back',
    home: { 'b.txt': 'b\n' },
  },
  {
    name: 'a commit in a submodule (F-B1)',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      commitIn(agent, 'sub');
    },
    what: 'kept',
    said: /submodule sub has commits that none of its remotes has/,
    inTree: ['sub/own.txt'],
  },
  {
    name: 'a commit in a submodule of a submodule',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      commitIn(agent, 'sub/deep');
    },
    what: 'kept',
    said: /sub\/deep: has commits that none of its remotes has/,
    inTree: ['sub/deep/own.txt'],
  },
  {
    name: 'a stash in a submodule',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      agent.write('sub/sub.txt', 'stashed\n');
      agent.git('-C', 'sub', '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'stash');
    },
    what: 'kept',
    said: /submodule sub has commits/,
    inTree: ['sub/sub.txt'],
  },
  {
    name: 'a change in a submodule',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      agent.write('sub/sub.txt', 'changed\n');
    },
    what: 'kept',
    said: /cannot be committed.*sub\/sub\.txt/,
    inTree: ['sub/sub.txt'],
  },
  {
    name: 'an untracked file in a submodule',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      agent.write('sub/new.txt', 'new\n');
    },
    what: 'kept',
    said: /cannot be committed.*sub\/new\.txt/,
    inTree: ['sub/new.txt'],
  },
  {
    name: 'a submodule that its settings hide',
    before: addSubmodules(stage),
    agent: (agent) => {
      populate(agent);
      agent.git('config', '--file', '.gitmodules', 'submodule.sub.ignore', 'all');
      agent.write('sub/sub.txt', 'changed\n');
    },
    what: 'kept',
    said: /cannot be committed.*sub\/sub\.txt/,
    inTree: ['sub/sub.txt'],
  },
];
