/** Completion for shells. The scripts hold the whole tree, so that a key press starts no process. */
import { allCommands, type CommandNode, type OptionNode } from './command-tree.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export const completionFor = (shell: Shell, tree: CommandNode): string => {
  switch (shell) {
    case 'bash':
      return bash(tree);
    case 'zsh':
      return zsh(tree);
    case 'fish':
      return fish(tree);
    default:
      return shell satisfies never;
  }
};

/** The words that name a command, without the program: ` messages export`. */
const placeOf = ({ path }: CommandNode): string =>
  path
    .slice(1)
    .map((name) => ` ${name}`)
    .join('');

const wordsOf = ({ commands, options, arguments: taken }: CommandNode): readonly string[] => [
  ...commands.map(({ path }) => path.at(-1) ?? ''),
  ...taken.flatMap(({ choices }) => choices),
  ...options.flatMap(({ long, short }) => (short === null ? [long] : [long, short])),
];

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Generates the end of the loop over the words, with one `case` branch per command. `reply` and `files` generate the
 * code that passes candidates to the shell.
 */
const branchesOf = (
  tree: CommandNode,
  { reply, files }: { readonly reply: (words: readonly string[]) => string; readonly files: string },
): string => {
  const all = allCommands(tree);
  const valued = (node: CommandNode, { long, value, choices }: OptionNode): readonly string[] => {
    if (value === 'none') return [];
    const answer = choices.length > 0 ? reply(choices) : value === 'file' ? files : ':';
    return [`    ${quoted(`${placeOf(node)} ${long}`)}) ${answer}; return ;;`];
  };
  const steps = all.slice(1).map((node) => `      ${quoted(placeOf(node))}) place="$place $word" ;;`);
  const values = all.flatMap((node) => node.options.flatMap((option) => valued(node, option)));
  const words = all.map((node) => `    ${quoted(placeOf(node))}) ${reply(wordsOf(node))} ;;`);
  return `    case "$place $word" in
${steps.join('\n')}
    esac
  done
  case "$place $previous" in
${values.join('\n')}
  esac
  case "$place" in
${words.join('\n')}
  esac`;
};

const bash = (tree: CommandNode): string => {
  const reply = (words: readonly string[]): string =>
    `COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$current"))`;
  const branches = branchesOf(tree, { reply, files: 'COMPREPLY=($(compgen -f -- "$current"))' });
  return `# bash completion for fixpoint. Load it with: source <(fixpoint completion bash)
_fixpoint() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" place='' word
  COMPREPLY=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
${branches}
}
complete -o bashdefault -o default -F _fixpoint fixpoint
`;
};

const zsh = (tree: CommandNode): string => {
  const reply = (words: readonly string[]): string => `compadd -- ${words.map(quoted).join(' ')}`;
  const branches = branchesOf(tree, { reply, files: '_files' });
  return `#compdef fixpoint
# zsh completion for fixpoint. Load it with: source <(fixpoint completion zsh)
_fixpoint() {
  local previous="\${words[CURRENT-1]}" place='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
${branches}
  _files
}
if [ "\${funcstack[1]}" = _fixpoint ]; then _fixpoint "$@"; else compdef _fixpoint fixpoint; fi
`;
};

const fish = (tree: CommandNode): string =>
  [
    '# fish completion for fixpoint. Load it with: fixpoint completion fish | source',
    ...allCommands(tree).flatMap(fishLines),
    '',
  ].join('\n');

const fishLines = (node: CommandNode): readonly string[] => {
  const seen = node.path.slice(1).map((name) => `__fish_seen_subcommand_from ${name}`);
  const inner = node.commands.map(({ path }) => path.at(-1) ?? '');
  const start = `complete -c fixpoint`;
  const at = (conditions: readonly string[]): string =>
    conditions.length === 0 ? '' : ` -n ${quoted(conditions.join('; and '))}`;
  const none = inner.length === 0 ? [] : [`not __fish_seen_subcommand_from ${inner.join(' ')}`];
  return [
    ...node.commands.map(
      ({ path, description }) =>
        `${start}${at([...seen, ...none])} -f -a ${path.at(-1) ?? ''} -d ${quoted(description)}`,
    ),
    ...node.arguments
      .filter(({ choices }) => choices.length > 0)
      .map(
        ({ choices, description }) =>
          `${start}${at(seen)} -f -a ${quoted(choices.join(' '))} -d ${quoted(description)}`,
      ),
    ...node.options.map((option) => `${start}${at([...seen, ...none])} ${fishOption(option)}`),
  ];
};

const fishOption = ({ long, short, description, value, choices }: OptionNode): string => {
  const names = [`-l ${long.replace(/^--/, '')}`, ...(short === null ? [] : [`-s ${short.replace(/^-/, '')}`])];
  const taking =
    choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : { none: '', file: ' -r', other: ' -x' }[value];
  return `${names.join(' ')}${taking} -d ${quoted(description)}`;
};
