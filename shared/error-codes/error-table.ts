/** One row of the table of error codes. `shared/README.md` shows the same table; a test keeps both equal. */
export type ErrorMeaning = {
  /** What happens to the job. `run`: the code is no exception, but the reason why a run or a notification ended. */
  readonly disposition: 'retry' | 'wait' | 'drop' | 'fail' | 'run';
  /** Meaning and remedy, as Markdown. Links are relative to the root of the project. */
  readonly text: string;
};

export type ErrorTable = Readonly<Record<string, ErrorMeaning>>;
