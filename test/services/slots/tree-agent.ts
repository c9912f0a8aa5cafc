/** What agents do to their work trees, and what is expected of each state. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SlotTree } from '../../../services/slots/worktree/worktree.ts';
import type { LoopStage } from './loop-stage.ts';

/** In the slot's tree, or below it. */
export type Agent = {
  readonly git: (...args: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  readonly path: (path: string) => string;
  readonly tree: SlotTree;
};

/** Gives the stage of the test that runs. */
export type At = () => LoopStage;

export const agentIn = (stage: At, tree: SlotTree): Agent => ({
  tree,
  path: (path) => join(tree.path, path),
  git: (...args) => stage().git('-C', tree.path, '-c', 'protocol.file.allow=always', ...args),
  write: (path, text) => {
    mkdirSync(join(tree.path, path, '..'), { recursive: true });
    writeFileSync(join(tree.path, path), text);
  },
});

export const userWrites = (stage: At, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(stage().root, path, '..'), { recursive: true });
    writeFileSync(join(stage().root, path), text);
  }
  stage().git('add', '--all');
  stage().git('commit', '--quiet', '-m', 'mine');
};

/** The user's repository gets a submodule `sub` with a submodule `deep`, both from repositories beside it. */
export const addSubmodules = (stage: At) => (): void => {
  const beside = (name: string): string => join(stage().root, '..', name);
  const make = (name: string): void => {
    stage().git('init', '--quiet', '--initial-branch=main', beside(name));
    writeFileSync(join(beside(name), `${name}.txt`), 'x\n');
    stage().git('-C', beside(name), 'add', '.');
    stage().git('-C', beside(name), '-c', 'user.name=S', '-c', 'user.email=s@example.com', 'commit', '-qm', name);
  };
  const allow = ['-c', 'protocol.file.allow=always', '-c', 'user.name=S', '-c', 'user.email=s@example.com'];
  make('deep');
  make('sub');
  stage().git('-C', beside('sub'), ...allow, 'submodule', '--quiet', 'add', beside('deep'), 'deep');
  stage().git('-C', beside('sub'), ...allow, 'commit', '-qm', 'with deep');
  stage().git(...allow, 'submodule', '--quiet', 'add', beside('sub'), 'sub');
  stage().git('commit', '--quiet', '-m', 'with sub');
};
export const populate = (agent: Agent): void =>
  void agent.git('submodule', '--quiet', 'update', '--init', '--recursive');
export const commitIn = (agent: Agent, path: string): void => {
  agent.write(`${path}/own.txt`, 'own\n');
  agent.git('-C', path, 'add', '.');
  agent.git('-C', path, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'own');
};

export type State = {
  readonly name: string;
  /** Of the user, before the slot begins. */
  readonly before?: () => void;
  readonly agent: (agent: Agent) => void;
  /** `back`: all came back and the tree is gone. `stays`: it came back, and the tree is kept. `kept`: none came back. */
  readonly what: 'back' | 'stays' | 'kept' | 'unchanged';
  readonly said?: RegExp;
  /** Files that must be at home afterwards. */
  readonly home?: Readonly<Record<string, string>>;
  /** Files that must still be in the tree. */
  readonly inTree?: readonly string[];
};

export const ignoring = (stage: At, pattern: string) => () => userWrites(stage, { '.gitignore': `${pattern}\n` });
