/** `[author]`: which agent fixes blocking findings, in which change requests, and what a fix may change. */
import { z } from 'zod';
import { LoginPatterns, NamePatterns, PathPatterns, ProjectPattern } from './values.ts';

const OneLine = z.string().regex(/^[^\p{Cc}<>]{1,100}$/u, 'expected one line without "<" or ">"');

const AuthorKeys = z.strictObject({
  /** If false, nothing is pushed, and no service gets a credential for pushing. */
  enabled: z.boolean().default(false),
  /** An empty list of projects, labels or authors filters nothing; each list with entries must match. */
  projects: z.array(ProjectPattern).max(1000).default([]),
  labels: NamePatterns,
  authors: LoginPatterns,
  /**
   * `command`: the operator's own program. `messages`: a program that uses the review-loop protocol. `agent`: Fixpoint's
   * loop over the Messages API. `claude-code`: the CLI of `agent.claude_code`.
   */
  agent: z.enum(['command', 'messages', 'agent', 'claude-code']).default('command'),
  /** Absolute path of a program and its arguments; no shell is used. */
  command: z.array(z.string().min(1).max(4096)).max(100).default([]),
  /** If true, the command runs in the cage of `sandbox`, without network, and can change only its checkout. */
  caged: z.boolean().default(false),
  maxTurns: z.int().min(1).max(100).default(32),
  maxRuntimeS: z.int().min(10).max(3000).default(900),
  maxFiles: z.int().min(1).max(500).default(50),
  maxChangeBytes: z.int().min(1024).max(16_777_216).default(1_048_576),
  /** Paths that a fix may not change, in addition to those that are always protected. */
  protectedPaths: PathPatterns,
  lockFiles: z.boolean().default(false),
  /** If true, a fix may add files, in folders that the change touches and among tests. */
  newFiles: z.boolean().default(true),
  commitName: OneLine.default('Fixpoint'),
  commitEmail: OneLine.default('fixpoint@localhost'),
});

type Keys = z.output<typeof AuthorKeys>;
const isProgram = ({ agent }: Keys): boolean => agent === 'command' || agent === 'messages';

export const Author = AuthorKeys.refine(
  (keys) => !keys.enabled || !isProgram(keys) || keys.command[0]?.startsWith('/') === true,
  {
    path: ['command'],
    message: 'expected the absolute path of a program, because author.agent is "command" or "messages"',
  },
).refine((keys) => !keys.caged || isProgram(keys), {
  path: ['caged'],
  message: 'expected false: it applies to author.command, which author.agent does not use',
});
export type Author = z.output<typeof Author>;
