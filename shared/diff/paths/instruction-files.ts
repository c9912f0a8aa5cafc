/** Files whose text somebody takes for orders: this bot, or other tools that read a repository with a model. */

/** Read by this bot, from the target branch. */
const OURS: readonly RegExp[] = [
  /^\.fixpoint\.toml$/,
  /^\.fixpoint\//,
  /(?:^|\/)(?:agents|claude)\.md$/,
  /(?:^|\/)\.gitattributes$/,
];

/** Never read by this bot. Whoever runs such a tool on the branch obeys the change. */
const OTHERS: readonly RegExp[] = [
  /(?:^|\/)\.(?:claude|gemini|codex|cursor|aider|continue|cline|windsurf|opencode|roo)(?:$|[./])/,
  /(?:^|\/)\.?mcp\.json$/,
  /(?:^|\/)(?:gemini|copilot-instructions|claude\.local)\.md$/,
  /(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|claude\.json|ripgreprc|coderabbit\.ya?ml|pr_agent\.toml)$/,
  /(?:^|\/)\.[a-z]+ignore$/,
  /(?:^|\/)\.env(?:\.[\w-]+)?$/,
];

export type InstructionFile = 'ours' | 'others';

/** Null for any other file. Compared as a file system may fold the name. */
export const instructionFileOf = (path: string): InstructionFile | null => {
  const folded = path.normalize('NFKC').toLowerCase();
  if (OURS.some((pattern) => pattern.test(folded))) return 'ours';
  return OTHERS.some((pattern) => pattern.test(folded)) ? 'others' : null;
};
