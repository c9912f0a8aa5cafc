/** Contract: awaits the command, sets its exit code, and prints its error. */
export type RunCommand = (command: Promise<number>) => Promise<void>;
