/** Contract: takes a command that answers with its exit code, and says what went wrong. */
export type RunCommand = (command: Promise<number>) => Promise<void>;
