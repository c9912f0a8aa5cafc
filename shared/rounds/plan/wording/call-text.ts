/**
 * Writes the line that mentions a person. Its names are passed to the sanitizer separately, so that nothing else
 * becomes a mention.
 */

const listed = (names: readonly string[]): string => {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
};

const mentions = (names: readonly string[]): string => listed(names.map((name) => `@${name}`));

/** This line is posted under a veto or an escalation. */
export const threadCallText = (names: readonly string[]): string =>
  `${mentions(names)}, please decide whether this must be fixed.`;

/** This line is posted under a hand-off. */
export const handoffCallText = (names: readonly string[]): string =>
  `${mentions(names)}, please decide how this change request should proceed.`;

/** This line is posted under a comment about the installation itself. */
export const operatorCallText = (names: readonly string[]): string => `${mentions(names)}, please take a look.`;

/** When the comment is edited, this line replaces the mention, because a name in a code span notifies nobody again. */
export const calledBeforeText = (names: readonly string[]): string =>
  `Asked to decide: ${listed(names.map((name) => `\`${name}\``))}.`;
