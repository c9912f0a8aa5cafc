import type { GrepNode } from '../../model/rule.ts';

const STATEMENT =
  '^[^"\']{0,40}["`\']+\\s*(?i:select\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s)[\\s\\S]*';
const BEFORE_VALUE = "(=|<|>|(?i:\\slike|\\sin\\s*\\(|values\\s*\\())\\s*'?%?";
/** Lists of placeholders, other parts of a statement, numbers, and constants. */
const HARMLESS =
  '\\s*((?i:\\w*(placeholder|param|question|bind|sql|query|clause|filter|column|table)|str_|string\\.join|\\(int\\)|nameof|[\\w.]*(count|length|size)\\b)|[A-Z][A-Z0-9_]+\\b|[A-Z]\\w+\\.[A-Z]\\w+\\b[^(])';

/**
 * Matches a SQL statement with something inserted where a value belongs: after a comparison, `LIKE`, `IN (` or `VALUES (`.
 * Inserted table and column names do not match. `insertion` is a regular expression for what begins an inserted part.
 */
export const sqlWithValue = (insertion: string): GrepNode => ({
  all: [
    { regex: `${STATEMENT}${BEFORE_VALUE}${insertion}` },
    { not: { regex: `${BEFORE_VALUE}${insertion}${HARMLESS}` } },
  ],
});
