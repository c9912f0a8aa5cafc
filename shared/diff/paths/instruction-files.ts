/** Finds files whose text is used as instructions for a model, by this bot or by other tools. */

/** Files that this bot reads from the target branch. */
const OURS: readonly RegExp[] = [
  /^\.fixpoint\.toml$/,
  /^\.fixpoint\//,
  /(?:^|\/)(?:agents|claude)\.md$/,
  /(?:^|\/)\.gitattributes$/,
];

/** Files that this bot never reads. Other tools that run on the source branch would follow what the change writes into them. */
const OTHERS: readonly RegExp[] = [
  /(?:^|\/)\.(?:claude|gemini|codex|cursor|aider|continue|cline|windsurf|opencode|roo)(?:$|[./])/,
  /(?:^|\/)\.?mcp\.json$/,
  /(?:^|\/)(?:gemini|copilot-instructions|claude\.local)\.md$/,
  /(?:^|\/)\.(?:cursorrules|windsurfrules|clinerules|claude\.json|ripgreprc|coderabbit\.ya?ml|pr_agent\.toml)$/,
  /(?:^|\/)\.[a-z]+ignore$/,
  /(?:^|\/)\.env(?:\.[\w-]+)?$/,
];

export type InstructionFile = 'ours' | 'others';

/** Returns null for any other file. The name is normalised, because some file systems do that. */
export const instructionFileOf = (path: string): InstructionFile | null => {
  const folded = path.normalize('NFKC').toLowerCase();
  if (OURS.some((pattern) => pattern.test(folded))) return 'ours';
  return OTHERS.some((pattern) => pattern.test(folded)) ? 'others' : null;
};
