/** The one line by which a person is called. Names are passed to the sanitizer beside it: nothing else becomes a mention. */

const listed = (names: readonly string[]): string => {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
};

const mentions = (names: readonly string[]): string => listed(names.map((name) => `@${name}`));

/** Under a veto or an escalation. */
export const threadCallText = (names: readonly string[]): string =>
  `${mentions(names)}, please decide whether this must be fixed.`;

/** Under a hand-off. */
export const handoffCallText = (names: readonly string[]): string =>
  `${mentions(names)}, please decide how this change request goes on.`;

/** Under a comment about the installation itself. */
export const operatorCallText = (names: readonly string[]): string => `${mentions(names)}, please take a look.`;

/** Instead of it in an edit: a mention in code reaches nobody again. */
export const calledBeforeText = (names: readonly string[]): string =>
  `Asked to decide: ${listed(names.map((name) => `\`${name}\``))}.`;
