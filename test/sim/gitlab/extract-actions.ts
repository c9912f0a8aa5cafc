/**
 * Finds the quick actions of a text. Stricter than the real rule (GL lib/gitlab/quick_actions/extractor.rb; forges.md 3.5,
 * trust.md A6): carriage returns are deleted first, names match in any case, and only these protect a line: a fence of
 * three backticks closed by exactly three, a closed `>>>` quote, a closed HTML block. Inline code never protects.
 */
const names =
  'approve|unapprove|merge|ship|close|reopen|rebase|run_pipeline|target_branch|request_changes|submit_review|draft|ready|label|labels|unlabel|remove_label|relabel|assign|unassign|remove_assignee|reassign|reviewer|assign_reviewer|request_review|unassign_reviewer|remove_reviewer|reassign_reviewer|title|lock|unlock|spend|spent|spend_time|estimate|estimate_time|remove_estimate|remove_time_spent|copy_metadata|react|award|confidential|milestone|remove_milestone|todo|done|subscribe|unsubscribe|due|remove_due_date|duplicate|move|clone|promote|create_merge_request|cc|tableflip|shrug|page|epic|link|unlink|blocks|blocked_by|severity|status|tag|type|weight|zoom|timeline';

const command = new RegExp(`^/(${names})(?: ([^\\n]*))?\\s*$`, 'i');

export type QuickActionCall = { readonly name: string; readonly argument: string; readonly line: string };
export type Extracted = { readonly text: string; readonly calls: readonly QuickActionCall[] };

const protectedUntil = (lines: readonly string[], at: number): number | null => {
  const line = lines[at] ?? '';
  const closedBy = (fits: (candidate: string) => boolean): number | null => {
    const end = lines.findIndex((candidate, index) => index > at && fits(candidate));
    return end < 0 ? null : end;
  };
  if (line.startsWith('```')) return closedBy((candidate) => candidate === '```');
  if (line.startsWith('>>>')) return closedBy((candidate) => candidate === '>>>');
  if (/^<[^>]+>$/.test(line)) return closedBy((candidate) => /^<\/[^>]+>$/.test(candidate));
  return null;
};

/** Returns the stored text: without commands and carriage returns, with the end trimmed. */
export const extractActions = (body: string): Extracted => {
  const lines = body.replaceAll('\r', '').split('\n');
  const kept: string[] = [];
  const calls: QuickActionCall[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const until = protectedUntil(lines, at);
    const match = until === null ? command.exec(line) : null;
    if (until !== null) {
      kept.push(...lines.slice(at, until + 1));
      at = until;
    } else if (match === null) kept.push(line);
    else calls.push({ name: (match[1] ?? '').toLowerCase(), argument: (match[2] ?? '').trim(), line });
  }
  return { text: kept.join('\n').trimEnd(), calls };
};
