export const TOOL_LIMITS = {
  callsPerTurn: 16,
  callsAtOnce: 4,
  callTimeoutMs: 60_000,
  resultCharacters: 40_000,
  /** Total over the results of one turn. */
  turnCharacters: 160_000,
  inputCharacters: 4_000,
  noteCharacters: 50_000,
  submissionCharacters: 400_000,
  readLines: 1_000,
  lineCharacters: 2_000,
  globFiles: 200,
  grepMatches: 200,
  grepLineCharacters: 400,
} as const;
